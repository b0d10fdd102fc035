import type { Fingerprint } from '../../model/fingerprint.ts'
import { KeyTable, NumberList, RowNumbers } from '../../model/key-table.ts'
import type { Place, RowPlace } from '../../model/row.ts'
import { counted, grouped } from '../../output/text.ts'
import { textFingerprint } from './text-hashes.ts'

/** Values that rows may share, the surest first. */
export const likenessWords = {
  email: 'the same e-mail',
  phone: 'the same phone number',
  name_and_domain: 'the same name and domain',
  name: 'the same name but for case, accents and order',
} as const
export const likenesses = Object.keys(likenessWords) as (keyof typeof likenessWords)[]
const byName = likenesses.indexOf('name')
const byDomain = likenesses.indexOf('name_and_domain')

const mostGroups = 200
const mostRows = 10
const mostNames = 20_000
const longestName = 80

/** Marks the first row with a name: the rest is a hash of how the name is spelled, or 0 if it has several spellings. */
const firstMark = 2 ** 31
const several = firstMark
/** Marks a row that is in no group. */
const alone = 2 ** 32 - 1

/** The bits of a root for what its group shares. */
const shareBits = likenesses.length

export type NearFacts = ReturnType<NearDuplicates['facts']>

const longestColumn = 120

/** Says which column as the key makes the most groups one row each; empty without one. */
export const keyAdvice = ({ key, groups }: NearFacts): string =>
  key
    ? `key: ${key.column.slice(0, longestColumn)} makes ${grouped(key.groups)} of ${counted(groups, 'group')} one row each.`
    : ''

/** Finds groups of rows that have a key in common, in 20 bytes a row, 4 for each column, and 13 to 14 for each e-mail, phone and name. */
export class NearDuplicates {
  /** The first row with a key. */
  readonly #rowOf = new KeyTable({ isShort: true })
  readonly #numbers = new RowNumbers()
  readonly #places = new NumberList()
  readonly #lines = new NumberList()
  /** The parent of each row in the tree of its group, whose root is the first row; below it, what the group of a root shares. */
  readonly #parents = new NumberList()
  /** The first row with the same name; of that one, the mark and its spelling. */
  readonly #namesakes = new NumberList()
  /** The first word of the key of that row's name and domain, which is not in the table. */
  readonly #domains = new NumberList()
  /** The names of rows near the start. */
  readonly #names: string[] = []
  /** Columns that may become the key, with a number for each cell. */
  readonly #columns: readonly { readonly column: string; readonly cells: NumberList }[]
  #sorted: { readonly ends: Uint32Array; readonly rows: Uint32Array } | undefined

  constructor(columns: readonly string[]) {
    this.#columns = columns.map(column => ({ column, cells: new NumberList() }))
  }

  /** Returns the first row that is like this one, and what they share. `cells` are those of the columns. */
  add(place: Place, name: string, keys: readonly Fingerprint[], cells: readonly string[]) {
    const row = this.#push(place, name, cells)
    const last = keys.at(-1)
    const namesake = last?.[2] === byName ? this.#rowOf.get(shortKey(last)) : undefined
    let near: (Place & { shares: string }) | undefined
    for (const key of keys) {
      const likeness = key[2]
      const first = this.#firstWith(key, row, namesake)
      if (first === undefined || first === row) continue
      if (likeness !== byName) this.#join(first, row, likeness)
      else if (!this.#isSpelledAnew(first, row)) continue
      near ??= { ...this.#placeOf(first), shares: likenessWords[likenesses[likeness] ?? 'name'] }
    }
    return near
  }

  /** Returns the first row with a key; notes this one if there is none. The domain of the first row with a name needs no entry. */
  #firstWith(key: Fingerprint, row: number, namesake: number | undefined): number | undefined {
    const likeness = key[2]
    if (likeness === byDomain && namesake === undefined) this.#domains.set(row, key[0])
    if (likeness === byDomain && (namesake === undefined || this.#domains.at(namesake) === key[0]))
      return namesake
    const first = likeness === byName ? namesake : this.#rowOf.get(shortKey(key))
    if (first === undefined) this.#rowOf.set(shortKey(key), row)
    return first
  }

  #push(place: Place, name: string, cells: readonly string[]): number {
    const row = this.#parents.length
    this.#places.push(this.#numbers.of(place))
    this.#lines.push(place.line)
    this.#parents.push(row << shareBits)
    this.#namesakes.push(firstMark + hashOf(name))
    for (const [at, { cells: hashes }] of this.#columns.entries()) hashes.push(hashOf(cells[at] ?? ''))
    if (row < mostNames) this.#names.push(name.length > longestName ? '' : name) // a part would keep the whole
    return row
  }

  /** Rows with a name in several spellings are like each other; those that have it in one are just namesakes. */
  #isSpelledAnew(first: number, row: number): boolean {
    const spelling = this.#namesakes.at(row)
    this.#namesakes.set(row, first)
    if (this.#namesakes.at(first) === spelling) return false
    this.#namesakes.set(first, several)
    return true
  }

  #join(one: number, other: number, likeness: number): void {
    const [a, b] = [this.#rootOf(one), this.#rootOf(other)]
    const shares = this.#sharesOf(a) | this.#sharesOf(b) | (1 << likeness)
    if (a === b && this.#sharesOf(a) === shares) return
    const root = Math.min(a, b)
    this.#parents.set(Math.max(a, b), root << shareBits)
    this.#parents.set(root, (root << shareBits) | shares)
  }

  #rootOf(row: number): number {
    let at = row
    for (let above = this.#parentOf(at); above !== at; above = this.#parentOf(at)) {
      this.#parents.set(at, this.#parentOf(above) << shareBits)
      at = above
    }
    return at
  }

  #parentOf = (row: number) => this.#parents.at(row) >>> shareBits

  #sharesOf = (root: number) => this.#parents.at(root) % (1 << shareBits)

  #placeOf = (row: number): Place => ({
    ...this.#numbers.placeOf(this.#places.at(row)),
    line: this.#lines.at(row),
  })

  /** The groups, the first with their first rows and names near the start; and the column that as `key:` ends most of them. */
  facts() {
    let [groups, rows] = [0, 0]
    const first: {
      by: (keyof typeof likenessWords)[]
      size: number
      rows: Place[]
      names: (string | undefined)[]
    }[] = []
    const keys = this.#columns.map(({ column, cells }) => ({ column, cells, groups: 0 }))
    for (const group of this.#groups()) {
      const [root = 0] = group
      groups += 1
      rows += group.length
      for (const key of keys) {
        const { cells } = key
        const isOne = cells.at(root) !== hashOf('') && group.every(row => cells.at(row) === cells.at(root))
        key.groups += Number(isOne)
      }
      if (first.length === mostGroups) continue
      const shown = [...group.subarray(0, mostRows)]
      first.push({
        by: likenesses.filter((_, at) => this.#sharesOf(root) & (1 << at)),
        size: group.length,
        rows: shown.map(this.#placeOf),
        names: shown.map(row => this.#names[row]),
      })
    }
    const found = keys.filter(each => each.groups > 0).sort((a, b) => b.groups - a.groups)
    const [key] = found.map(({ column, groups }) => ({ column, groups }))
    return { groups, rows, first, key }
  }

  /** Yields the rows of each group. */
  *groups(): Generator<RowPlace[]> {
    for (const group of this.#groups())
      yield Array.from(group, row => this.#numbers.placeOf(this.#places.at(row)))
  }

  /** Yields the rows of each group in their order, by their first rows. */
  *#groups(): Generator<Uint32Array> {
    this.#sorted ??= this.#sort()
    const { ends, rows } = this.#sorted
    let from = 0
    for (const end of ends) {
      if (end === alone) continue
      if (end > from) yield rows.subarray(from, end)
      from = end
    }
  }

  /** Sorts the rows of groups, once all are there: 4 bytes a row, and 4 more for one that is in a group. */
  #sort() {
    const count = this.#parents.length
    const ends = new Uint32Array(count)
    for (let row = 0; row < count; row += 1) {
      const first = this.#namesakes.at(row)
      if (first < firstMark && this.#namesakes.at(first) === several) this.#join(first, row, byName)
    }
    for (let row = 0; row < count; row += 1) ends[this.#rootOf(row)] = (ends[this.#rootOf(row)] ?? 0) + 1
    let from = 0
    for (const [root, size] of ends.entries()) {
      ends[root] = size === 1 ? alone : from // moves to the end, as rows come
      if (size > 1) from += size
    }
    const rows = new Uint32Array(from)
    for (let row = 0; row < count; row += 1) {
      const root = this.#rootOf(row)
      const at = ends[root] ?? 0
      if (at === alone) continue
      rows[at] = row
      ends[root] = at + 1
    }
    return { ends, rows }
  }
}

/** 62 bits of a hash, and its likeness, in the two words that a short table keeps. */
const shortKey = ([a, b, likeness]: Fingerprint): Fingerprint => [b, a, ((b & ~3) | likeness) >>> 0]

const hashOf = (text: string) => textFingerprint(text)[0] >>> 1 || 1
