import { isContentKey } from '../../model/content-key.ts'
import { fingerprint, firstWord, NumberList } from '../../model/key-table.ts'
import type { RowIdentity } from '../../model/row.ts'
import { foldedKey } from '../../model/spelling.ts'
import type { ResultLine } from './lines.ts'

/** How the rows of a log were written: 32 bits of each body, each folded key, and each key with its body. 12 bytes a row. */
export class Spellings {
  readonly #bodies = new NumberList()
  readonly #keys = new NumberList()
  readonly #bodiesOfKeys = new NumberList()

  note({ key = '', body_hash: body }: ResultLine): void {
    if (!isContentKey(key)) this.#keys.push(wordOf(key))
    if (body === undefined) return
    this.#bodies.push(firstWord(body))
    this.#bodiesOfKeys.push(bodyOfKey(key, body))
  }

  /** Is set if a log is no older than 0.5. */
  get haveBodies(): boolean {
    return this.#bodies.length > 0
  }

  /** Checks whether the row with this key was sent with this body. */
  hasBody(key: string, body: string): boolean {
    return this.#bodiesOfKeys.includes(bodyOfKey(key, body))
  }

  /** Checks whether a row with this body or folded key may be there. A wrong yes is rare, and costs a look into the log. */
  mayHave({ key, body_hash: body }: Pick<RowIdentity, 'key' | 'body_hash'>): boolean {
    if (body !== undefined && this.#bodies.includes(firstWord(body))) return true
    return !isContentKey(key) && this.#keys.includes(wordOf(key))
  }
}

const wordOf = (key: string) => fingerprint(foldedKey(key))[0]

const bodyOfKey = (key: string, body: string) => (fingerprint(key)[0] ^ firstWord(body)) >>> 0
