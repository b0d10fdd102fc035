import { useApp, useView } from './app.ts'
import { counted } from './texts.ts'

/** What the last check came to: how many rows can go, are refused, or are left out. */
export function useChecked() {
  const { file } = useApp()
  const [view, edit] = useView('rows', { of: 'check', filter: 'all', from: 0, count: 1 })
  const { columns = [], counts = {} } = view ?? {}
  const kind = file.record === 'task' ? 'task' : 'person'
  const isOld = view?.mapping !== undefined && view.mapping !== file.mapping?.version
  const records = counted(kind, counts.sent ?? 0)
  return { view, edit, columns, counts, all: counts.all ?? 0, records, isOld }
}

export type Checked = ReturnType<typeof useChecked>
