import { useEffect, useState } from 'preact/hooks'
import type { RowView } from '../api.ts'
import { useApp } from './app.ts'
import { Field, Form } from './controls.tsx'
import { Dialog } from './dialog.tsx'
import { rowTitle, statusText } from './formats.ts'
import { Button, RecordCard } from './parts.tsx'
import { serverLanguage, text } from './texts.ts'

interface RowProps {
  readonly row: RowView
  readonly columns: readonly string[]
}

/** All of a row: its cells, which can be corrected, what is wrong with them, its record, and rows that may be the same. */
export function RowDialog({ row: first, columns, onClose }: RowProps & { readonly onClose: () => void }) {
  const { file, ask } = useApp()
  const [row, setRow] = useState(first)
  const [said, setSaid] = useState('')
  const { status, cells, recordId, errors, notes, record, near, isCorrected } = row
  const save = async (field: (name: string) => string) => {
    const typed = columns.map((name, column) => [name, field(`${column}`)] as const)
    const changed = typed.filter(([, cell], column) => cell !== (cells[column] ?? '').trim())
    if (changed.length === 0) return setSaid(text('nothing_changed'))
    const answer = await ask('correct', {
      file: file.source,
      row: row.row,
      cells: Object.fromEntries(changed),
    })
    if (answer === undefined) return setSaid('')
    setRow(answer.row)
    setSaid(text(answer.row.errors.length === 0 ? 'corrected_good' : 'corrected_bad'))
  }
  /** What is said of a column, or of no column. */
  const wordsOn = (column: string | null, all: RowView['errors']) =>
    all.flatMap(each => (each.column === column ? [each.text] : [])).join(' ') || undefined

  return (
    <Dialog title={rowTitle(row)} onClose={onClose}>
      <p>
        <b>{statusText(status)}</b> {recordId !== null && text('id', { id: recordId })}
      </p>
      <p lang={serverLanguage}>
        <span class="bad">{wordsOn(null, errors)}</span> {wordsOn(null, notes)}
      </p>
      <Form onSend={save}>
        <div class="fields">
          {columns.map((name, column) => {
            const words = { fault: wordsOn(name, errors), note: wordsOn(name, notes) }
            return (
              <Field key={name} name={`${column}`} label={name} defaultValue={cells[column]} {...words} />
            )
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
      {record && <RecordCard record={record} />}
      {near.length > 0 && <SideBySide row={row} columns={columns} />}
    </Dialog>
  )
}

/** The row beside those that may be the same record; cells that differ are marked. */
function SideBySide({ row: first, columns }: RowProps) {
  const { file, load } = useApp()
  const [others, setOthers] = useState<readonly RowView[]>([])
  useEffect(() => {
    const of = { file: file.source, filter: 'all', of: 'check', count: 1 } as const
    const answers = first.near.map(row => load('rows', { ...of, from: row - 1 }))
    Promise.all(answers).then(all => setOthers(all.flatMap(answer => answer?.rows ?? [])))
  }, [first.row])

  const all = [first, ...others]
  return (
    <table class="beside">
      <caption>{text('side_by_side')}</caption>
      <thead>
        <tr>
          <th scope="col">{text('column')}</th>
          {all.map(each => (
            <th scope="col" key={each.row}>
              {rowTitle(each)}
            </th>
          ))}
        </tr>
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
