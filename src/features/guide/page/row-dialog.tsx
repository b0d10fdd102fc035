import { useEffect, useState } from 'preact/hooks'
import type { RowView } from '../api.ts'
import { useApp } from './app.ts'
import type { Checked } from './checked.ts'
import { Button, Dialog, Fault, Field, Form, Head, RecordCard } from './parts.tsx'
import { rowTitle, serverLanguage, statusText, text } from './texts.ts'

interface RowProps {
  readonly row: RowView
  readonly checked: Checked
}

/** All of a row: its cells, which can be corrected, what is wrong with them, its record, and rows that may be the same. */
export function RowDialog({ row: first, checked, onClose }: RowProps & { readonly onClose: () => void }) {
  const { columns, edit } = checked
  const [row, setRow] = useState(first)
  const [said, setSaid] = useState('')
  const { status, cells, recordId, errors, notes, record, near, isCorrected } = row
  const save = async (field: (name: string) => string) => {
    const typed = columns.map((name, column) => [name, field(`${column}`)] as const)
    const changed = typed.filter(([, cell], column) => cell !== (cells[column] ?? '').trim())
    if (changed.length === 0) return setSaid(text('nothing_changed'))
    const answer = await edit('correct', { row: row.row, cells: Object.fromEntries(changed) })
    if (answer === undefined) return setSaid('')
    setRow(answer.row)
    setSaid(text(answer.row.errors.length === 0 ? 'corrected_good' : 'corrected_bad'))
  }
  /** What is said of a column, or of no column. */
  const wordsOn = (column: string | null, all: RowView['errors']) =>
    all.flatMap(each => (each.column === column ? [each.text] : [])).join(' ') || undefined
  const noteOn = (column: string | null) => <span lang={serverLanguage}>{wordsOn(column, notes)}</span>

  return (
    <Dialog title={rowTitle(row)} onClose={onClose}>
      <p>
        <b>{statusText(status)}</b> {recordId !== null && text('id', { id: recordId })}
      </p>
      <p>
        <Fault words={wordsOn(null, errors)} /> {noteOn(null)}
      </p>
      <Form onSend={save}>
        <div class="fields">
          {columns.map((name, column) => {
            const words = { fault: wordsOn(name, errors), note: noteOn(name) }
            return <Field key={name} name={`${column}`} label={name} value={cells[column]} {...words} />
          })}
        </div>
        <p class="buttons">
          {(errors.length > 0 || isCorrected) && (
            <Button type="submit" class="main">
              {text('correct')}
            </Button>
          )}
          <span role="status">{said}</span>
        </p>
      </Form>
      {record && <h3>{text('as_sent')}</h3>}
      <RecordCard record={record} />
      {near.length > 0 && <SideBySide row={row} checked={checked} />}
    </Dialog>
  )
}

/** The row beside those that may be the same record; cells that differ are marked. */
function SideBySide({ row: first, checked: { columns } }: RowProps) {
  const { load } = useApp()
  const [others, setOthers] = useState<readonly RowView[]>([])
  useEffect(() => {
    const of = { filter: 'all', of: 'check', count: 1 } as const
    const answers = first.near.map(row => load('rows', { ...of, from: row - 1 }))
    Promise.all(answers).then(all => setOthers(all.flatMap(answer => answer?.rows ?? [])))
  }, [first.row])

  const all = [first, ...others]
  return (
    <table class="beside">
      <caption>{text('side_by_side')}</caption>
      <thead>
        <Head names={[text('column'), ...all.map(rowTitle)]} />
      </thead>
      <tbody>
        {columns.map((name, column) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            {all.map(({ row, cells }) => (
              <td key={row} class={cells[column] === first.cells[column] ? undefined : 'differs'}>
                {cells[column]}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
