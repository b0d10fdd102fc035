import { useState } from 'preact/hooks'
import type { RowFilter, RowView } from '../api.ts'
import { useApp } from './app.ts'
import type { Checked } from './checked.ts'
import { Grid } from './grid.tsx'
import { Choices, Noted } from './parts.tsx'
import { RowDialog } from './row-dialog.tsx'
import { counted, number, text } from './texts.ts'

const filters = [
  ...(['all', 'refused', 'left_out', 'omitted', 'kept'] as const),
  ...(['near', 'conflicts', 'existing', 'corrected'] as const),
] satisfies RowFilter[]

/** The rows of the last check with the filters, and the row that is opened. */
export function RowList({ start, checked }: { readonly start: RowFilter; readonly checked: Checked }) {
  const { say } = useApp()
  const [filter, setFilter] = useState(start)
  const [opened, setOpened] = useState<RowView>()
  const { counts, all } = checked
  if (all === 0) return <p>{text('no_rows_yet')}</p>
  const countOf = (name: RowFilter) => counts[name] ?? 0
  const choices = filters.map(name => ({
    id: name,
    label: <Noted words={text(`filter_${name}`)} note={number(countOf(name))} />,
    isOff: countOf(name) === 0 && name !== filter,
  }))
  const choose = (name: RowFilter) => {
    setFilter(name)
    say(counted('row', countOf(name)))
  }
  return (
    <>
      <Choices legend={text('show')} choices={choices} chosen={filter} onChoose={choose} />
      <small>{text('grid_hint')}</small>
      <Grid key={filter} filter={filter} checked={checked} onOpen={setOpened} />
      {opened && <RowDialog row={opened} checked={checked} onClose={() => setOpened(undefined)} />}
    </>
  )
}
