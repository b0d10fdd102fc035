import type { CheckedSource } from '../../input/open.ts'
import { isRepeated } from '../../model/content-key.ts'
import type { RowIdentity } from '../../model/row.ts'
import type { PreparedImport } from '../prepare.ts'

export type EqualRows = ReturnType<typeof countEqualRows>

/**
 * Rows without a key are named by their content, and equal ones by their number besides. It is counted over all sources, so that a
 * row has the same name on every machine, whatever its chunk.
 */
export function countEqualRows({ mapping }: PreparedImport) {
  const identify = mapping.identifier('keys')
  /** Of rows that are equal to an earlier one, by their places. */
  const keys = new Map<string, string>()
  return {
    /** A source whose rows are counted as they are read: once, in the order of the sources. */
    counting(source: CheckedSource, at: number): CheckedSource {
      async function* rows(...how: Parameters<CheckedSource['rows']>) {
        for await (const batch of source.rows(...how)) {
          for (const row of batch) {
            const { key } = identify(row)
            if (isRepeated(key)) keys.set(`${at} ${row.row}`, key)
          }
          yield batch
        }
      }
      return { ...source, rows }
    },
    /** A row as its chunk names it, with its number among all rows. */
    named(identity: RowIdentity, source: number): RowIdentity {
      const key = keys.get(`${source} ${identity.row}`)
      return key === undefined ? identity : { ...identity, key }
    },
  }
}
