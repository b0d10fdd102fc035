import { isReservedColumn } from '../model/reserved-columns.ts'
import { atPath } from '../model/values.ts'
import type { DocumentPath, LocatedYaml } from './located-yaml.ts'
import type { Lookups } from './lookups/lookup.ts'
import type { Evaluate, Scope } from './scope.ts'

/** One column that a mapping names. */
interface NamedColumn {
  readonly name: string
  /** What the header calls it: one that may be missing is also known in other letters, `Due date` for `Due Date`. */
  actual: string
  /** Where in the mapping file it is named as one that must be there. */
  readonly at: DocumentPath[]
  /** Whether any row so far had it. */
  seen: boolean
  /** Whether no row can have it: the headers of all sources are known, and none has it. */
  isAbsent: boolean
}

/** The columns of a source; undefined for NDJSON, which has no header. */
export type Header = readonly string[] | undefined

/** Every column that a mapping names, where it names it, and whether any row had it. */
export class NamedColumns {
  readonly #columns = new Map<string, NamedColumn>()
  readonly #emptyValues: ReadonlySet<unknown>

  /** Cells that hold one of the `emptyValues` are read as empty. */
  constructor(emptyValues: readonly string[] = []) {
    this.#emptyValues = new Set(emptyValues)
  }

  /** A reader of the column in a row; one that is `optional` may be missing from the header. */
  reader(name: string, at: DocumentPath, isOptional = false): Evaluate {
    const column = this.#columns.get(name) ?? {
      name,
      actual: name,
      at: [],
      seen: false,
      isAbsent: false,
    }
    if (!isOptional) column.at.push(at)
    this.#columns.set(name, column)
    const read: Evaluate = ({ row }) => {
      if (column.isAbsent) return undefined
      const value = row.value(column.actual)
      if (value !== undefined) column.seen = true
      return value
    }
    return this.#emptyValues.size === 0 ? read : scope => this.emptied(read(scope))
  }

  /** The value, or nothing where it is one of the words that stand for an empty cell. */
  emptied(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(item => this.emptied(item))
    return typeof value === 'string' && this.#emptyValues.has(value.trim()) ? '' : value
  }

  /**
   * The headers of all sources, so that what none of them has need not be looked for in any row. Gives the columns that
   * they do not all call the same: nobody could tell which one a row means.
   */
  settle(
    headers: readonly Header[],
  ): readonly { readonly name: string; readonly called: readonly string[] }[] {
    const isKnown = !headers.includes(undefined)
    return [...this.#columns.values()].flatMap(column => {
      const called = [...new Set(headers.flatMap(header => this.actualIn(column.name, header ?? []) ?? []))]
      const [actual = column.name, ...others] = called
      if (others.length > 0 || (!isKnown && actual !== column.name)) return [{ name: column.name, called }]
      column.actual = actual
      column.isAbsent = isKnown && called.length === 0
      return []
    })
  }

  /** The columns that the header calls otherwise, each with its name in the mapping. */
  *renamed(): Generator<readonly [name: string, actual: string]> {
    for (const { name, actual } of this.#columns.values()) if (actual !== name) yield [name, actual]
  }

  /** The columns that must be there and of which no row had a cell. */
  unseen(): string[] {
    return [...this.#columns.values()]
      .filter(({ seen, at }) => !seen && at.length > 0)
      .map(({ name }) => name)
  }

  /** The columns that a header lacks and must have, with the places that name them. */
  missingFrom(header: readonly string[]): readonly Pick<NamedColumn, 'name' | 'at'>[] {
    const there = new Set(header)
    return [...this.#columns.values()].filter(({ name, at }) => at.length > 0 && !there.has(name))
  }

  /**
   * What a header calls a column: its name, else the one column that is equal to it but for case, unless the mapping
   * names that one as well.
   */
  actualIn(name: string, header: readonly string[]): string | undefined {
    if (header.includes(name)) return name
    const lower = name.toLowerCase()
    const [found, another] = new Set(header.filter(each => each.toLowerCase() === lower))
    return another === undefined && found !== undefined && !this.#columns.has(found) ? found : undefined
  }

  /** Whether a header has any of the columns that the mapping names. */
  anyIn(header: readonly string[]): boolean {
    return [...this.#columns.keys()].some(name => this.actualIn(name, header) !== undefined)
  }

  /** The columns of a header that the mapping does not name. */
  unnamedIn(header: readonly string[]): string[] {
    const named = new Set([...this.#columns.values()].flatMap(({ name, actual }) => [name, actual]))
    return [...new Set(header)].filter(name => name !== '' && !named.has(name) && !isReservedColumn(name))
  }
}

/** What the compiling of a mapping file works with. */
export interface Workshop {
  readonly yaml: LocatedYaml
  readonly columns: NamedColumns
  /** Whether the columns that are named here may be missing from the header. */
  readonly isOptional: boolean
  readonly lookups: Lookups
  readonly lookupNames: readonly string[]
  /** Whether it stands inside `each`, where a dot is the item. */
  readonly inEach?: boolean
}

/** The reader of what a rule or template names: the item or a field of it inside `each`, else a column of the row. */
export function readerOf(
  name: string,
  at: DocumentPath,
  { columns, inEach, isOptional }: Workshop,
): Evaluate {
  if (!inEach || !name.startsWith('.')) return columns.reader(name, at, isOptional)
  const field = name.slice(1)
  return field === '' ? ({ item }) => item : ({ item }) => atPath(item, field)
}

/** How errors name what a rule or template reads. */
export function columnLabel(name: string, { itemsOf }: Scope): string {
  const items = name.startsWith('.') ? itemsOf?.() : undefined
  return items === undefined ? name : `${items}${name === '.' ? '' : name}`
}
