import { replacedName } from '../model/content-key.ts'
import { fingerprint, KeyTable, RowNumbers } from '../model/key-table.ts'
import type { Outcome } from '../model/outcome.ts'
import type { RowIdentity, RowPlace } from '../model/row.ts'

/** The rows that own the keys of a run, in 17 to 19 bytes a row. */
export class KeyRegistry {
  readonly #owners = new KeyTable()
  readonly #rejected = new KeyTable()
  readonly #remembersContent: boolean
  readonly #rows = new RowNumbers()

  /** `remembersContent`: a source may hold rows from a rejects file, and any row may be the one that was rejected. */
  constructor(remembersContent = false) {
    this.#remembersContent = remembersContent
  }

  /** The row that owns the key, or that was the same before it was repaired. */
  ownerOf(identity: RowIdentity): RowPlace | undefined {
    if (identity.key === '') return undefined // such rows own no key
    let number = this.#owners.get(fingerprint(identity.key))
    if (this.#rejected.size > 0) number ??= this.#rejected.get(fingerprint(replacedName(identity)))
    return number === undefined ? undefined : this.#rows.placeOf(number)
  }

  /** Registers the key of a row, and its name in rejects files if it may come from one or be in one. */
  register({ identity, before }: Pick<Outcome, 'identity' | 'before'>): void {
    const number = this.#rows.of(identity)
    if (identity.key !== '') this.#owners.set(fingerprint(identity.key), number)
    const name = replacedName(identity)
    const mayBeRejected = this.#remembersContent && identity.hash !== '' && name !== identity.key
    if (before !== undefined || identity.replaces !== undefined || mayBeRejected)
      this.#rejected.set(fingerprint(name), number)
  }
}
