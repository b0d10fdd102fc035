import { type Fingerprint, KeyTable, NumberList, textHash } from '../model/key-table.ts'
import { likenesses, type NearFacts } from '../model/near-duplicates.ts'
import type { RowProblems } from '../model/problem.ts'
import type { Place } from '../model/row.ts'

const mostGroups = 200
const mostRows = 10
const mostNames = 20_000
const longestName = 80
const byName = likenesses.indexOf('name')

/**
 * The numbers of a row: its place; its parent in the tree of its group, whose root is the first row; what the group of a root
 * shares, as bits; its name as it is spelled; the row before that has the name, or itself; and its cells of some columns.
 */
const [source, number, line, parent, shares, spelling, namesake, cell] = [0, 1, 2, 3, 4, 5, 6, 7] as const
/** The spelling of a name that was found in several. */
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

  /** Returns the number of an earlier row that is like this one, and in what. `cells` are those of the columns. */
  add(place: Place, name: string, keys: readonly Fingerprint[], cells: readonly string[]) {
    const row = this.#rows++
    if (this.#sources.at(-1) !== place.source) this.#sources.push(place.source)
    const numbers = [this.#sources.length - 1, place.row, place.line, row, 0, printOf(name), row]
    for (const each of numbers) this.#numbers.push(each)
    for (const each of cells) this.#numbers.push(printOf(each))
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

  describe([known, likeness]: readonly [number, number]): RowProblems['near_duplicate'] {
    return { ...this.#placeOf(known), shares: likenesses[likeness] ?? '' }
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
    const a = this.#rootOf(one)
    const b = this.#rootOf(other)
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

  #placeOf(row: number): Place {
    const name = this.#sources[this.#get(row, source)] ?? ''
    return { source: name, row: this.#get(row, number), line: this.#get(row, line) }
  }

  facts(): NearFacts {
    const byRoot = new Map<number, number[]>()
    for (let row = 0; row < this.#rows; row += 1) {
      const root = this.#rootOf(row)
      if (root !== row)
        byRoot
          .set(root, byRoot.get(root) ?? [root])
          .get(root)
          ?.push(row)
    }
    const groups = [...byRoot]
    const keys = this.#columns.map((column, at) => {
      const cellOf = (row: number) => this.#get(row, cell + at)
      const areOne = groups.filter(([root, rows]) => rows.every(row => cellOf(row) === cellOf(root)))
      return { column, groups: areOne.filter(([root]) => cellOf(root) !== printOf('')).length }
    })
    return {
      groups: groups.length,
      rows: groups.reduce((sum, [, rows]) => sum + rows.length, 0),
      first: groups.slice(0, mostGroups).map(([root, rows]) => ({
        by: likenesses.filter((_, at) => this.#get(root, shares) & (1 << at)),
        size: rows.length,
        rows: rows.slice(0, mostRows).map(row => this.#placeOf(row)),
        names: rows.slice(0, mostRows).map(row => this.#names[row]),
      })),
      key: keys.filter(each => each.groups > 0).sort((a, b) => b.groups - a.groups)[0],
    }
  }
}

const printOf = (text: string) => textHash(text) >>> 1 || 1
