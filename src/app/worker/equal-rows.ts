import type { CheckedSource } from '../../input/open.ts'
import type { Identify } from '../../mapping/identity.ts'
import { isRepeated } from '../../model/content-key.ts'
import type { RowIdentity } from '../../model/row.ts'
import type { PreparedImport } from '../prepare.ts'

/**
 * Rows without a key are named by their content, and equal ones by their number besides. It is counted over all sources, so that a
 * row has the same name on every machine, whatever its chunk.
 */
export class EqualRows {
  readonly #identify: Identify
  /** Of rows that are equal to an earlier one, by their places. */
  readonly #keys = new Map<string, string>()

  constructor({ mapping }: PreparedImport) {
    this.#identify = mapping.identifier('keys')
  }

  /** A source whose rows are counted as they are read: once, in the order of the sources. */
  counting(source: CheckedSource, at: number): CheckedSource {
    const counted = async function* (this: EqualRows, ...how: Parameters<CheckedSource['rows']>) {
      for await (const rows of source.rows(...how)) {
        for (const row of rows) {
          const { key } = this.#identify(row)
          if (isRepeated(key)) this.#keys.set(`${at} ${row.row}`, key)
        }
        yield rows
      }
    }
    return { ...source, rows: counted.bind(this) }
  }

  /** A row as its chunk names it, with its number among all rows. */
  named(identity: RowIdentity, source: number): RowIdentity {
    const key = this.#keys.get(`${source} ${identity.row}`)
    return key === undefined ? identity : { ...identity, key }
  }
}
