// The rows of the last check, in windows of 200, of which a few are kept.
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { RowFilter, RowsView, RowView } from '../api.ts'
import { useApp } from './app.ts'

const windowRows = 200
const mostWindows = 20

export interface Rows extends Pick<RowsView, 'total' | 'columns' | 'counts'> {
  /** The row at an index of the filter; undefined while it loads. */
  readonly at: (index: number) => RowView | undefined
  /** Loads the windows of these rows, unless they are here. */
  readonly need: (from: number, to: number) => void
  readonly reload: () => void
}

/** The rows that pass a filter, loaded anew whenever one of `needs` changes; undefined until the first window is there. */
export function useRows(filter: RowFilter, needs: readonly unknown[]): Rows | undefined {
  const { file, load: read } = useApp()
  const [view, setView] = useState<RowsView>()
  const [edition, setEdition] = useState(0)
  const cache = useMemo(
    () => ({ windows: new Map<number, readonly RowView[]>(), asked: new Set<number>() }),
    [file.source, filter, edition, ...needs],
  )
  const current = useRef(cache)
  current.current = cache

  const load = async (index: number) => {
    const { windows, asked } = cache
    if (asked.has(index)) return
    asked.add(index)
    const of = 'check' as const
    const input = { file: file.source, filter, of, from: index * windowRows, count: windowRows }
    const answer = await read('rows', input)
    if (answer === undefined || current.current !== cache) return
    windows.set(index, answer.rows)
    const [oldest = index] = windows.keys()
    if (windows.size > mostWindows && windows.delete(oldest)) asked.delete(oldest)
    setView(answer)
  }
  const need = useCallback(
    (from: number, to: number) => {
      for (let index = Math.floor(from / windowRows); index * windowRows < to; index += 1) void load(index)
    },
    [cache],
  )
  useEffect(() => need(0, 1), [need])

  const at = (index: number) => cache.windows.get(Math.floor(index / windowRows))?.[index % windowRows]
  return view && { ...view, at, need, reload: () => setEdition(edition + 1) }
}
