// A table of up to a million rows, of which only those in sight are in the page.
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { RowFilter, RowView } from '../api.ts'
import { useSettled, useView } from './app.ts'
import type { Checked } from './checked.ts'
import { Head } from './parts.tsx'
import { statusText, text } from './texts.ts'

/** Browsers draw no box that is much higher. Above it, a pixel of the scroll bar stands for more than one of the rows. */
const mostPixels = 12_000_000
const pauseMs = 60
/** Rows are loaded in windows of 200; the next one begins after 100. */
const stepRows = 100

interface GridProps {
  readonly filter: RowFilter
  readonly checked: Checked
  readonly onOpen: (row: RowView) => void
}

export function Grid({ filter, checked, onOpen }: GridProps) {
  const { columns, counts } = checked
  const total = counts[filter] ?? 0
  const names = [text('row_number'), text('status'), ...columns]
  const id = useId()
  const box = useRef<HTMLDivElement>(null)
  const head = useRef<HTMLTableSectionElement>(null)
  const ruler = useRef<HTMLDivElement>(null)
  const [size, setSize] = useState({ row: 40, view: 400 })
  /** The row at the upper edge; what of it is hidden is a fraction. */
  const [top, setTop] = useState(0)
  const [chosen, setChosen] = useState(0)

  useLayoutEffect(() => {
    const observer = new ResizeObserver(() => {
      const view = (box.current?.clientHeight ?? 0) - (head.current?.offsetHeight ?? 0)
      setSize({ row: ruler.current?.offsetHeight || 40, view })
    })
    for (const { current } of [box, head, ruler]) if (current) observer.observe(current)
    return () => observer.disconnect()
  }, [])

  const area = Math.min(total * size.row, mostPixels)
  const inSight = size.view / size.row
  const lastTop = Math.max(0, total - inSight)
  const rowsPerPixel = area > size.view ? lastTop / (area - size.view) : 1
  const clamp = (row: number, most: number) => Math.max(0, Math.min(row, most))
  const from = clamp(top, lastTop)
  const active = clamp(chosen, total - 1)
  const first = Math.floor(from)
  const end = Math.min(total, Math.ceil(from + inSight))

  const step = useSettled(Math.floor(first / stepRows), pauseMs)
  const start = Math.max(0, (step - 0.5) * stepRows)
  const [view] = useView('rows', { of: 'check', filter, from: start, count: 2 * stepRows }, [checked.view])
  const rowAt = (index: number) => view?.rows[index - view.from]

  const activate = (row: number) => {
    setChosen(row)
    const now = Math.min(Math.max(from, row + 1 - inSight), row)
    setTop(now)
    box.current?.scrollTo({ top: now / rowsPerPixel })
  }
  const open = (index: number) => {
    const row = rowAt(index)
    setChosen(index)
    if (row) onOpen(row)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor(inSight) - 1)
    const down = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -total, End: total }
    const moved = down[event.key as keyof typeof down]
    if (event.key === 'Enter') open(active)
    else if (moved === undefined) return
    else activate(clamp(active + moved, total - 1))
    event.preventDefault()
  }
  const onClick = ({ target }: MouseEvent) => {
    const row = (target as HTMLElement).closest('tbody tr')
    if (row) open(Number(row.ariaRowIndex) - 2)
  }

  const line = (index: number) => {
    const row = rowAt(index)
    const faults = new Set(row?.errors.map(({ column }) => column))
    const cells = row ? [`${row.row}`, statusText(row.status), ...row.cells] : ['…']
    const place = { id: `${id}-${index}`, 'aria-rowindex': index + 2, 'aria-selected': index === active }
    return (
      <tr key={index} {...place} style={{ transform: `translateY(${(index - from) * size.row}px)` }}>
        {names.map((name, column) => (
          <td key={column} data-column={name} class={faults.has(name) ? 'bad' : undefined}>
            {cells[column]}
          </td>
        ))}
      </tr>
    )
  }
  return (
    <div class="grid" ref={box} onScroll={event => setTop(event.currentTarget.scrollTop * rowsPerPixel)}>
      <div class="ruler" ref={ruler} />
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table that keys walk through is a grid
        role="grid"
        tabIndex={0}
        aria-label={text(`filter_${filter}`)}
        aria-rowcount={total + 1}
        aria-activedescendant={total > 0 ? `${id}-${active}` : undefined}
        style={{ '--columns': columns.length, height: `${area + (head.current?.offsetHeight ?? 0)}px` }}
        {...{ onKeyDown, onClick }}
      >
        <thead ref={head}>
          <Head names={names} />
        </thead>
        <tbody style={{ height: `${Math.min(size.view, area)}px` }}>
          {Array.from({ length: Math.max(0, end - first) }, (_, offset) => line(first + offset))}
        </tbody>
      </table>
    </div>
  )
}
