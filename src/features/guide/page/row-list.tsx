import { useState } from 'preact/hooks'
import type { RowFilter, RowView } from '../api.ts'
import { useApp } from './app.ts'
import { number } from './formats.ts'
import { Grid } from './grid.tsx'
import { RowDialog } from './row-dialog.tsx'
import { useRows } from './rows.ts'
import { text } from './texts.ts'

const filters = [
  ...(['all', 'refused', 'left_out', 'omitted', 'kept'] as const),
  ...(['near', 'conflicts', 'existing', 'corrected'] as const),
] satisfies RowFilter[]

interface RowListProps {
  readonly start: RowFilter
  /** The rows are loaded anew whenever one of these changes. */
  readonly needs: readonly unknown[]
  /** Called when a row that may have been corrected is closed. */
  readonly onClose?: () => void
}

/** The rows of the last check with the filters, and the row that is opened. */
export function RowList({ start, needs, onClose }: RowListProps) {
  const { say } = useApp()
  const [filter, setFilter] = useState(start)
  const [opened, setOpened] = useState<RowView>()
  const rows = useRows(filter, needs)
  if (!rows?.counts.all) return <p>{text('no_rows_yet')}</p>
  const { columns, counts, reload } = rows
  const choose = (name: RowFilter) => {
    setFilter(name)
    say(text('rows_read', { rows: counts[name] ?? 0 }))
  }
  const close = () => {
    setOpened(undefined)
    reload()
    onClose?.()
  }
  return (
    <>
      <fieldset class="filters">
        <legend>{text('show')}</legend>
        {filters.map(name => (
          <button type="button" key={name} aria-pressed={name === filter} onClick={() => choose(name)}>
            {text(`filter_${name}`)} <b>{number(counts[name] ?? 0)}</b>
          </button>
        ))}
      </fieldset>
      <p class="hint">{text('grid_hint')}</p>
      <Grid key={filter} rows={rows} label={text(`filter_${filter}`)} onOpen={setOpened} />
      {opened && <RowDialog row={opened} columns={columns} onClose={close} />}
    </>
  )
}
