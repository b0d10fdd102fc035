import type { PreparedImport } from '../../run/prepared-import.ts'

/** The import with rows of one of its sources alone; all of them by default. */
export function onlyRows(
  prepared: PreparedImport,
  path: string,
  wanted?: ReadonlySet<number>,
): PreparedImport {
  const sources = prepared.sources.map(source => ({
    ...source,
    async *rows(...how: Parameters<typeof source.rows>) {
      if (source.path !== path) return
      let left = wanted?.size ?? Number.POSITIVE_INFINITY
      for await (const batch of source.rows(...how)) {
        const rows = batch.filter(({ row }) => wanted?.has(row) ?? true)
        left -= rows.length
        yield rows
        if (left <= 0) return
      }
    },
  }))
  return { ...prepared, totalBytes: undefined, sources }
}
