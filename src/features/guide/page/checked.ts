import { useApp, useView } from './app.ts'
import { counted } from './texts.ts'

/** What the last check came to: how many rows can go, are refused, or are left out. */
export function useChecked() {
  const { file } = useApp()
  const [view, edit] = useView('rows', { of: 'check', filter: 'all', from: 0, count: 1 })
  const { columns = [], counts = {} } = view ?? {}
  const kind = file.record === 'task' ? 'task' : 'person'
  return { view, edit, columns, counts, all: counts.all ?? 0, records: counted(kind, counts.sent ?? 0) }
}

export type Checked = ReturnType<typeof useChecked>
