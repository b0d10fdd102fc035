import { replacedName } from '../model/content-key.ts'
import { fingerprint, firstWord } from '../model/fingerprint.ts'
import { KeyTable, RowNumbers } from '../model/key-table.ts'
import type { Outcome } from '../model/outcome.ts'
import type { RowIdentity, RowPlace } from '../model/row.ts'
import type { KnownKeys } from '../model/store.ts'

/** The rows that own the keys of a run, in 21 to 24 bytes a row; in none for those that a log keeps. */
export class KeyRegistry {
  readonly #known: KnownKeys | undefined
  /** The number of each other owner, and 32 bits of its hash. */
  readonly #owners = new KeyTable({ values: 2 })
  /** The keys of rows that came and own none, as far as the log knows them, and their names in rejects files. */
  readonly #passed = new KeyTable()
  /** Rows by their names in rejects files, and rows that came from one by the names of those that they replace. */
  readonly #originals = new KeyTable()
  readonly #replacing = new KeyTable()
  readonly #remembersContent: boolean
  readonly #rows = new RowNumbers()

  /** `remembersContent`: a source may hold rows from a rejects file, and any row may be the one that was rejected. */
  constructor(remembersContent = false, known?: KnownKeys) {
    this.#remembersContent = remembersContent
    this.#known = known
  }

  /** The row that owns the key, or that was the same before it was repaired. A refused row may have become two with other keys. */
  ownerOf(identity: RowIdentity): RowPlace | undefined {
    if (identity.key === '') return undefined // such rows own no key
    let number = this.#ownerOf(identity.key) ?? this.#namedAlike(this.#originals, identity)
    if (identity.replaces === undefined) number ??= this.#namedAlike(this.#replacing, identity)
    return number === undefined ? undefined : this.#rows.placeOf(number)
  }

  #ownerOf = (key: string): number | undefined =>
    this.#known?.keyOwnerOf(key) ?? (this.#owners.size === 0 ? undefined : this.#owners.get(fingerprint(key)))

  #namedAlike = (names: KeyTable, identity: RowIdentity): number | undefined =>
    names.size === 0 ? undefined : names.get(fingerprint(replacedName(identity)))

  /** Checks whether the row that owns the key reads the same, or did so before it was repaired. */
  readsAlike(identity: RowIdentity): boolean {
    const { key, hash } = identity
    const number = this.#ownerOf(key)
    if (hash === '' || number === undefined) return false
    const names = identity.replaces === undefined ? this.#replacing : this.#originals
    if (this.#namedAlike(names, identity) === number) return true
    if (this.#known?.keyOwnerOf(key) !== undefined) return this.#known.get(key, hash)?.sameHash === true
    return this.#owners.second(fingerprint(key)) === firstWord(hash)
  }

  /** Notes that a row of the log came, and owns no key; or that it reads differently now. */
  pass(identity: RowIdentity, isChanged = false): void {
    for (const name of [identity.key, replacedName(identity)].map(fingerprint))
      this.#passed.set(name, Number(isChanged || this.#passed.get(name) === 1))
  }

  /** Checks whether a row of the log came, by its key or its name in rejects files, and reads differently now. */
  hasCome = (key: string): boolean | 'changed' => {
    const passed = this.#passed.get(fingerprint(key))
    return passed === 1 ? 'changed' : passed === 0 || this.owns(key)
  }

  /** Checks whether a row came that owns the key. */
  owns = (key: string): boolean => this.#ownerOf(key) !== undefined

  /** Registers the key of a row, and its name in rejects files if it may come from one or be in one. */
  register({ identity, before }: Pick<Outcome, 'identity' | 'before'>): void {
    const number = this.#rows.of(identity)
    const { key, hash } = identity
    if (key !== '' && !this.#known?.setKeyOwner(key, hash, number))
      this.#owners.set(fingerprint(key), number, hash === '' ? 0 : firstWord(hash))
    const name = replacedName(identity)
    const mayBeRejected = this.#remembersContent && identity.hash !== '' && name !== identity.key
    if (identity.replaces !== undefined) this.#replacing.set(fingerprint(name), number)
    else if (before !== undefined || mayBeRejected) this.#originals.set(fingerprint(name), number)
  }
}
