// A table of up to a million rows, of which only those in sight are in the page.
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { RowView } from '../api.ts'
import { statusText } from './formats.ts'
import type { Rows } from './rows.ts'
import { text } from './texts.ts'

/** Browsers draw no box that is much higher. Above it, a pixel of the scroll bar stands for more than one of the rows. */
const mostPixels = 12_000_000
const settleMs = 60

interface GridProps {
  readonly rows: Rows
  readonly label: string
  readonly onOpen: (row: RowView) => void
}

export function Grid({ rows, label, onOpen }: GridProps) {
  const { total } = rows
  const names = [text('row_number'), text('status'), ...rows.columns]
  const id = useId()
  const box = useRef<HTMLDivElement>(null)
  const head = useRef<HTMLTableSectionElement>(null)
  const ruler = useRef<HTMLDivElement>(null)
  const [size, setSize] = useState({ row: 40, view: 400 })
  /** The row at the upper edge; what of it is hidden is a fraction. */
  const [top, setTop] = useState(0)
  const [chosen, setChosen] = useState({ row: 0, column: 0 })
  const scrolled = useRef(0)

  useLayoutEffect(() => {
    const observer = new ResizeObserver(() => {
      const view = (box.current?.clientHeight ?? 0) - (head.current?.offsetHeight ?? 0)
      setSize({ row: ruler.current?.offsetHeight || 40, view })
    })
    for (const { current } of [box, head, ruler]) if (current) observer.observe(current)
    return () => observer.disconnect()
  }, [])

  const isCapped = total * size.row > mostPixels
  const area = Math.min(total * size.row, mostPixels)
  const inSight = size.view / size.row
  const lastTop = Math.max(0, total - inSight)
  const rowsPerPixel = isCapped ? lastTop / (area - size.view) : 1 / size.row
  const clamp = (row: number, most: number) => Math.max(0, Math.min(row, most))
  const from = clamp(top, lastTop)
  const active = { ...chosen, row: clamp(chosen.row, total - 1) }
  const first = Math.floor(from)
  const end = Math.min(total, Math.ceil(from + inSight))

  useEffect(() => {
    const timer = setTimeout(() => rows.need(first, end), settleMs)
    return () => clearTimeout(timer)
  }, [rows.need, first, end])

  /** Moves the scroll bar to where it belongs; the rows stay where they are. */
  const settle = (row: number) => {
    if (!box.current) return
    box.current.scrollTop = row / rowsPerPixel
    scrolled.current = box.current.scrollTop
  }
  const onScroll = ({ currentTarget: { scrollTop } }: { currentTarget: HTMLElement }) => {
    const moved = scrollTop - scrolled.current
    scrolled.current = scrollTop
    const isAtEnd = scrollTop <= 0 || scrollTop >= area - size.view - 1
    const isStep = isCapped && !isAtEnd && Math.abs(moved) < size.view
    setTop(isStep ? from + moved / size.row : scrollTop * rowsPerPixel)
  }
  const activate = (row: number, column: number) => {
    setChosen({ row, column })
    const now = Math.min(Math.max(from, row + 1 - inSight), row)
    if (now === from) return
    setTop(now)
    settle(now)
  }
  useEffect(() => {
    if (!box.current?.contains(document.activeElement)) return
    const cell = document.getElementById(`${id}-${active.row}-${active.column}`)
    cell?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [chosen])

  const open = (index: number) => {
    const row = rows.at(index)
    if (row) onOpen(row)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor(inSight) - 1)
    const down = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -total, End: total }
    const aside = { ArrowRight: 1, ArrowLeft: -1 }
    const [rowStep, columnStep] = [
      down[event.key as keyof typeof down] ?? 0,
      aside[event.key as keyof typeof aside] ?? 0,
    ]
    if (event.key === 'Enter') open(active.row)
    else if (rowStep === 0 && columnStep === 0) return
    else activate(clamp(active.row + rowStep, total - 1), clamp(active.column + columnStep, names.length - 1))
    event.preventDefault()
  }
  const onClick = ({ target }: MouseEvent) => {
    const row = (target as HTMLElement).closest('tbody tr')
    if (!row) return
    const index = Number(row.ariaRowIndex) - 2
    setChosen({ row: index, column: active.column })
    open(index)
  }

  const line = (index: number) => {
    const row = rows.at(index)
    const faults = new Set(row?.errors.map(({ column }) => column))
    const cells = row ? [`${row.row}`, statusText(row.status), ...row.cells] : ['…']
    const style = { transform: `translateY(${(index - from) * size.row}px)` }
    return (
      <tr key={index} aria-rowindex={index + 2} aria-selected={index === active.row} style={style}>
        {names.map((name, column) => (
          <td
            key={column}
            id={`${id}-${index}-${column}`}
            data-column={name}
            data-active={(index === active.row && column === active.column) || undefined}
            class={faults.has(name) ? 'bad' : undefined}
          >
            {cells[column]}
          </td>
        ))}
      </tr>
    )
  }
  return (
    <div class="grid" ref={box} onScroll={onScroll} onScrollEnd={() => isCapped && settle(from)}>
      <div class="ruler" ref={ruler} />
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table that keys walk through is a grid
        role="grid"
        tabIndex={0}
        aria-label={label}
        aria-rowcount={total + 1}
        aria-activedescendant={total > 0 ? `${id}-${active.row}-${active.column}` : undefined}
        style={{ '--columns': names.length - 2, height: `${area + (head.current?.offsetHeight ?? 0)}px` }}
        {...{ onKeyDown, onClick }}
      >
        <thead ref={head}>
          <tr aria-rowindex={1}>
            {names.map((name, column) => (
              <th key={column} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody style={{ height: `${Math.min(size.view, area)}px` }}>
          {Array.from({ length: Math.max(0, end - first) }, (_, offset) => line(first + offset))}
        </tbody>
      </table>
    </div>
  )
}
