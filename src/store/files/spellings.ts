import { isContentKey } from '../../model/content-key.ts'
import { firstWord, NumberList, shortHash } from '../../model/key-table.ts'
import type { Body, RowIdentity } from '../../model/row.ts'
import { foldedKey } from '../../model/spelling.ts'
import { leavesOf } from '../../model/values.ts'
import type { ResultLine } from './lines.ts'

/** How the rows of a log were written: 32 bits of each body, and of each folded key that is no plain one. */
export class Spellings {
  readonly #bodies = new NumberList()
  readonly #keys = new NumberList()

  /** Values of the bodies in doubt of rows without a key, each with its path: such a row has another name once it is corrected. */
  readonly #doubtedValues = new Set<string>()
  /** Checks for a row with exactly this key. */
  readonly #has: (key: string) => boolean

  constructor(has: (key: string) => boolean) {
    this.#has = has
  }

  note({ key = '', body_hash: body, status, body: sent }: ResultLine): void {
    const folded = isContentKey(key) ? key : foldedKey(key)
    if (folded !== key) this.#keys.push(shortHash(folded))
    if (isContentKey(key) && status === 'in_doubt')
      for (const value of valuesIn(sent)) this.#doubtedValues.add(value)
    if (body === undefined) return
    this.#bodies.push(firstWord(body))
  }

  /** Is set if a log is no older than 0.5. */
  get haveBodies(): boolean {
    return this.#bodies.length > 0
  }

  /** Checks whether a row with this body or folded key may be there. A wrong yes is rare, and costs a look into the log. */
  mayHave({ key, body_hash: hash }: Pick<RowIdentity, 'key' | 'body_hash'>, body?: Body): boolean {
    if (hash !== undefined && this.#bodies.includes(firstWord(hash))) return true
    if (!isContentKey(key)) return this.#hasKey(key)
    return this.#doubtedValues.size > 0 && isLike(valuesIn(body), this.#doubtedValues)
  }

  #hasKey(key: string): boolean {
    const folded = foldedKey(key)
    if (folded !== key && this.#has(folded)) return true
    return this.#keys.length > 0 && this.#keys.includes(shortHash(folded))
  }
}

/** The values in a body, each with its path, as texts. */
export const valuesIn = (body: unknown): string[] =>
  body === undefined ? [] : leavesOf(body).map(({ path, value }) => `${path} ${JSON.stringify(value)}`)

/** Checks whether at least half of the values of a body are among others. */
export const isLike = (values: readonly string[], others: ReadonlySet<string>): boolean =>
  values.length > 0 && values.filter(value => others.has(value)).length * 2 >= values.length
