import { useEffect, useState } from 'preact/hooks'
import type { RowView } from '../api.ts'
import { useApp } from './app.ts'
import type { Checked } from './checked.ts'
import { Button, Dialog, Fault, Field, Form, Noted, RecordCard } from './parts.tsx'
import { rowTitle, statusText, text } from './texts.ts'

interface RowDialogProps {
  readonly row: RowView
  readonly checked: Checked
  readonly onClose: () => void
}

/** All of a row: its cells, which can be corrected, what is wrong with them, its record, and where rows that may be the same differ. */
export function RowDialog({ row: first, checked, onClose }: RowDialogProps) {
  const { load } = useApp()
  const { columns, edit } = checked
  const [row, setRow] = useState(first)
  const [said, setSaid] = useState('')
  const [others, setOthers] = useState<readonly RowView[]>([])
  useEffect(() => {
    const of = { filter: 'all', of: 'check', count: 1 } as const
    const answers = first.near.map(row => load('rows', { ...of, from: row - 1 }))
    Promise.all(answers).then(all => setOthers(all.flatMap(answer => answer?.rows ?? [])))
  }, [])
  const { status, cells, recordId, errors, notes, record, isCorrected } = row
  const save = async (field: (name: string) => string) => {
    const typed = columns.map((name, column) => [name, field(`${column}`)] as const)
    const changed = typed.filter(([, cell], column) => cell !== (cells[column] ?? '').trim())
    if (changed.length === 0) return setSaid(text('nothing_changed'))
    const answer = await edit('correct', { row: row.row, cells: Object.fromEntries(changed) })
    if (answer === undefined) return setSaid('')
    setRow(answer.row)
    setSaid(text(answer.row.errors.length === 0 ? 'corrected_good' : 'corrected_bad'))
  }
  const canCorrect = errors.length > 0 || isCorrected
  /** What is said of a column, or of no column. */
  const wordsOn = (column: string | null, all: RowView['errors']) =>
    all.flatMap(each => (each.column === column ? [each.text] : [])).join(' ') || undefined
  const noteOn = (column: string | null) => <span>{wordsOn(column, notes)}</span>
  /** The cells of a column in rows that may be the same, where they differ. */
  const beside = (column: number) =>
    others
      .filter(other => other.cells[column] !== cells[column])
      .map(other => <Noted key={other.row} words={`≠ ${other.cells[column]}`} note={rowTitle(other)} />)

  return (
    <Dialog title={rowTitle(row)} onClose={onClose}>
      <p>
        <b>{statusText(status)}</b> {recordId !== null && text('id', { id: recordId })}
      </p>
      <p>
        <Fault words={wordsOn(null, errors)} /> {noteOn(null)}
      </p>
      {others.length > 0 && (
        <p class="mark">{text('near_rows', { rows: others.map(rowTitle).join(', ') })}</p>
      )}
      <Form onSend={save}>
        <div class="fields">
          {columns.map((name, column) => {
            const words = { fault: wordsOn(name, errors), note: [noteOn(name), ...beside(column)] }
            const field = { name: `${column}`, label: name, value: cells[column], readOnly: !canCorrect }
            return <Field key={name} {...field} {...words} />
          })}
        </div>
        <p class="buttons">
          {canCorrect && <Button label={text('correct')} type="submit" class="main" />}
          <span role="status">{said}</span>
        </p>
      </Form>
      {record && <h3>{text('as_sent')}</h3>}
      <RecordCard record={record} />
    </Dialog>
  )
}
