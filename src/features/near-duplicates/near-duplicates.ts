import { type Fingerprint, KeyTable, NumberList, textHash } from '../../model/key-table.ts'
import type { Place } from '../../model/row.ts'

/** Values that rows may share, the surest first. */
export const likenesses = ['email', 'phone', 'name_and_domain', 'name'] as const
export const likenessWords = {
  email: 'the same e-mail',
  phone: 'the same phone number',
  name_and_domain: 'the same name and domain',
  name: 'the same name but for case, accents and order',
}
const byName = likenesses.indexOf('name')

const mostGroups = 200
const mostRows = 10
const mostNames = 20_000
const longestName = 80

/**
 * The numbers of a row: its place; its parent in the tree of its group, whose root is the first row; what the group of a root
 * shares, as bits; its name as it is spelled; the row before that has the name, or itself; and its cells of some columns.
 */
const [source, number, line, parent, shares, spelling, namesake, cell] = [0, 1, 2, 3, 4, 5, 6, 7] as const
/** The spelling of a name that has several. */
const several = 0

/** Finds groups of rows that have a key in common, in 28 bytes a row and 17 to 19 for each of its keys. */
export class NearDuplicates {
  /** The first row with a key; of a name the last one. */
  readonly #rowOf = new KeyTable()
  readonly #sources: string[] = []
  readonly #numbers = new NumberList()
  readonly #names: string[] = []
  readonly #columns: readonly string[]
  #rows = 0

  /** The columns may become the key. */
  constructor(columns: readonly string[]) {
    this.#columns = columns
  }

  /** Returns an earlier row that is like this one, and what they share. `cells` are those of the columns. */
  add(place: Place, name: string, keys: readonly Fingerprint[], cells: readonly string[]) {
    const row = this.#rows++
    if (this.#sources.at(-1) !== place.source) this.#sources.push(place.source)
    const numbers = [this.#sources.length - 1, place.row, place.line, row, 0, hashOf(name), row]
    for (const each of [...numbers, ...cells.map(hashOf)]) this.#numbers.push(each)
    let near: readonly [known: number, likeness: number] | undefined
    for (const key of keys) {
      const likeness = key[2]
      const known = this.#rowOf.get(key) ?? row
      if (known === row || likeness === byName) this.#rowOf.set(key, row)
      if (known === row || (likeness === byName && !this.#isSpelledAnew(known, row))) continue
      this.#join(known, row, likeness)
      near ??= [known, likeness]
    }
    if (row < mostNames) this.#names.push(name.length > longestName ? '' : name) // a part would keep the whole
    return near
  }

  describe([known, likeness]: readonly [number, number]) {
    return { ...this.#placeOf(known), shares: likenessWords[likenesses[likeness] ?? 'name'] }
  }

  #get(row: number, field: number): number {
    return this.#numbers.at(row * (cell + this.#columns.length) + field)
  }

  #set(row: number, field: number, value: number): void {
    this.#numbers.set(row * (cell + this.#columns.length) + field, value)
  }

  /** Rows with a name in several spellings are like each other; those that have it in one are just namesakes. */
  #isSpelledAnew(before: number, row: number): boolean {
    this.#set(row, namesake, before)
    if (this.#get(before, spelling) === this.#get(row, spelling)) return false
    for (let at = row; this.#get(at, spelling) !== several; at = this.#get(at, namesake)) {
      this.#set(at, spelling, several)
      this.#join(this.#get(at, namesake), at, byName)
    }
    return true
  }

  #join(one: number, other: number, likeness: number): void {
    const [a, b] = [this.#rootOf(one), this.#rootOf(other)]
    if (a === b && this.#get(a, shares) & (1 << likeness)) return
    const root = Math.min(a, b)
    this.#set(Math.max(a, b), parent, root)
    this.#set(root, shares, this.#get(a, shares) | this.#get(b, shares) | (1 << likeness))
  }

  #rootOf(row: number): number {
    let at = row
    for (let above = this.#get(at, parent); above !== at; above = this.#get(at, parent)) {
      this.#set(at, parent, this.#get(above, parent))
      at = above
    }
    return at
  }

  #placeOf = (row: number): Place => ({
    source: this.#sources[this.#get(row, source)] ?? '',
    row: this.#get(row, number),
    line: this.#get(row, line),
  })

  /** The groups, the first with their first rows and names near the start; and the column that as `key:` ends most of them. */
  facts() {
    const groups = this.#groups()
    const keys = this.#columns.map((column, at) => {
      const cellOf = (row: number) => this.#get(row, cell + at)
      const isOne = ([root, ...others]: readonly [number, ...number[]]) =>
        cellOf(root) !== hashOf('') && others.every(row => cellOf(row) === cellOf(root))
      return { column, groups: groups.filter(isOne).length }
    })
    return {
      groups: groups.length,
      rows: groups.reduce((sum, { length }) => sum + length, 0),
      first: groups.slice(0, mostGroups).map(group => ({
        by: likenesses.filter((_, at) => this.#get(group[0], shares) & (1 << at)),
        size: group.length,
        rows: group.slice(0, mostRows).map(this.#placeOf),
        names: group.slice(0, mostRows).map(row => this.#names[row]),
      })),
      key: keys.filter(each => each.groups > 0).sort((a, b) => b.groups - a.groups)[0],
    }
  }

  #groups() {
    const byRoot = new Map<number, [root: number, ...others: number[]]>()
    for (let row = 0; row < this.#rows; row += 1) {
      const root = this.#rootOf(row)
      if (root === row) continue
      const group = byRoot.get(root)
      if (group === undefined) byRoot.set(root, [root, row])
      else group.push(row)
    }
    return [...byRoot.values()]
  }
}

const hashOf = (text: string) => textHash(text) >>> 1 || 1
