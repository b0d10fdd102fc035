import type { ProcessInfo } from '../platform/process-info.ts'
import type { SharedStore, StorePlace } from './prepare.ts'

interface LogPlace extends StorePlace {
  readonly store?: SharedStore | undefined
  readonly results?: string | undefined
}

/** Reads the log of an import, wherever it is; returns undefined if there is none. Throws a UsageError or a LogError. */
export async function readLogOf<T>(
  { store, results, ledger, import: name }: LogPlace,
  info: ProcessInfo,
  read: (path: string) => Promise<T>,
): Promise<T | undefined> {
  if (store !== undefined) return store.withLog({ ledger, import: name }, info, read)
  return results === undefined ? undefined : read(results)
}
