import { UsageError } from '../../model/errors.ts'
import type { SharedStore } from '../../run/prepare.ts'

/** The ledger as a run knows it; what talks to the database is loaded when it is needed. */
export const ledgerStore: SharedStore = {
  /** Rows of a ledger are known by their keys alone, and read in parts. */
  check({ mapping: { file, indents, keyColumns }, sources }) {
    const pipe = sources.find(({ size }) => size === undefined)
    if (pipe !== undefined) throw new UsageError('ledger_needs_files', { source: pipe.path })
    if (keyColumns.length === 0) throw new UsageError('ledger_needs_key', { mapping: file })
    if (indents.length > 0) throw new UsageError('ledger_with_indent', { mapping: file })
  },
  work: async (prepared, ports) => (await import('./worker/worker.ts')).work(prepared, ports),
  withLog: async (place, info, read) => (await import('./access.ts')).withExport(place, info, read),
}
