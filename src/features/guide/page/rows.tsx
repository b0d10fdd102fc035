// The rows of the last check: what they come to, a table of them with filters, and one that is opened.
import { useEffect, useState } from 'preact/hooks'
import type { RowFilter, RowView } from '../api.ts'
import { edit, load, say, useApp, useView } from './app.ts'
import { Button, Choices, Dialog, Field, Form, Loading, RecordCard, Table } from './parts.tsx'
import { counted, number, rowTitle, statusText, text } from './texts.ts'

/** What the last check came to: how many rows can go, are refused, or are left out. */
export function useChecked() {
  const { file } = useApp()
  const view = useView('rows', { of: 'check', filter: 'all', from: 0, count: 0 })
  const { counts = {}, mapping } = view ?? {}
  const records = counted(file.record === 'task' ? 'task' : 'person', counts.sent ?? 0)
  const isOld = mapping !== undefined && mapping !== file.mapping?.version
  return { counts, all: counts.all ?? 0, records, isOld }
}

const filters = [
  ...(['all', 'refused', 'left_out', 'omitted', 'kept'] as const),
  ...(['near', 'conflicts', 'existing', 'corrected'] as const),
] satisfies RowFilter[]

/** Rows in the page at a time, however many there are. */
const windowRows = 200

/** The rows with the filters, and the row that is opened. Radios are one stop for the keyboard, which arrows move; a press on a row opens it. */
export function RowList({ start }: { readonly start: RowFilter }) {
  const [shown, setShown] = useState({ filter: start, from: 0 })
  const [opened, setOpened] = useState<RowView>()
  const view = useView('rows', { of: 'check', count: windowRows, ...shown })
  if (view === undefined) return <Loading />
  const { columns, counts, rows } = view
  if (!counts.all) return <p>{text('no_rows_yet')}</p>
  const { filter, from } = shown
  const countOf = (name: RowFilter) => counts[name] ?? 0
  const total = countOf(filter)
  const end = Math.min(total, from + windowRows)
  const choices = filters.map(id => ({
    id,
    label: text(`filter_${id}`),
    note: number(countOf(id)),
    isOff: countOf(id) === 0 && id !== filter,
  }))
  const choose = (name: RowFilter) => {
    setShown({ filter: name, from: 0 })
    say(counted('row', countOf(name)))
  }
  const begin = (at: number) => setShown({ filter, from: Math.max(0, Math.min(at, total - 1)) })
  return (
    <>
      <Choices legend={text('show')} choices={choices} chosen={filter} onChoose={choose} />
      {total > windowRows && (
        <div class="buttons">
          <Field
            {...{ type: 'number', min: 1, max: total, step: windowRows }}
            label={text('from_row')}
            value={`${from + 1}`}
            note={<span role="status">{text('to_row', { end, total })}</span>}
            onSave={first => begin(Number(first) - 1)}
          />
          <Button label={text('next_rows')} isOff={end === total} onClick={() => begin(end)} />
        </div>
      )}
      <Form submit={text('open_row')} onSend={field => setOpened(rows[Number(field('row'))])}>
        <Table
          label={text(`filter_${filter}`)}
          names={[text('row_number'), text('status'), ...columns]}
          rows={rows.map((row, index) => ({
            head: (
              <>
                <input
                  {...{ type: 'radio', name: 'row', value: index, defaultChecked: index === 0 }}
                  aria-label={rowTitle(row)}
                />
                <Button class="whole" tabIndex={-1} label={row.row} onClick={() => setOpened(row)} />
              </>
            ),
            cells: [statusText(row.status), ...row.cells],
            bad: row.errors.map(({ column }) => column),
          }))}
        />
      </Form>
      {opened && <RowDialog first={opened} columns={columns} onClose={() => setOpened(undefined)} />}
    </>
  )
}

interface RowDialogProps {
  readonly first: RowView
  readonly columns: readonly string[]
  readonly onClose: () => void
}

/** All of a row: its cells, which can be corrected, what is wrong with them, its record, and where rows that may be the same differ. */
function RowDialog({ first, columns, onClose }: RowDialogProps) {
  const [row, setRow] = useState(first)
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
    if (changed.length === 0) return text('nothing_changed')
    const answer = await edit('correct', { row: row.row, cells: Object.fromEntries(changed) })
    if (answer === undefined) return undefined
    setRow(answer.row)
    return text(answer.row.errors.length === 0 ? 'corrected_good' : 'corrected_bad')
  }
  const canCorrect = errors.length > 0 || isCorrected
  /** What is said of a column, or of no column. */
  const wordsOn = (column: string | null, all: RowView['errors']) =>
    all.flatMap(each => (each.column === column ? [each.text] : [])).join(' ')
  /** The cells of a column in rows that may be the same, where they differ. */
  const beside = (column: number) =>
    others
      .filter(other => other.cells[column] !== cells[column])
      .map(other => `≠ ${other.cells[column]} (${rowTitle(other)}) `)
  return (
    <Dialog title={rowTitle(row)} onClose={onClose}>
      <p>
        <b>{statusText(status)}</b> {recordId !== null && text('id', { id: recordId })}
      </p>
      <p>
        <span class="bad">{wordsOn(null, errors)}</span> {wordsOn(null, notes)}
      </p>
      {others.length > 0 && (
        <p class="mark">{text('near_rows', { rows: others.map(rowTitle).join(', ') })}</p>
      )}
      <Form submit={canCorrect ? text('correct') : undefined} onSend={save}>
        <div class="fields">
          {columns.map((name, column) => (
            <Field
              key={name}
              {...{ name: `${column}`, label: name, value: cells[column], readOnly: !canCorrect }}
              fault={wordsOn(name, errors)}
              note={[wordsOn(name, notes), ...beside(column)]}
            />
          ))}
        </div>
      </Form>
      {record && <h3>{text('as_sent')}</h3>}
      <RecordCard record={record} />
    </Dialog>
  )
}
