import { fileProblem } from '../model/problem.ts'
import { isReservedColumn } from '../model/reserved-columns.ts'
import { atPath } from '../model/values.ts'
import type { DocumentPath, LocatedYaml } from './located-yaml.ts'
import type { Lookups } from './lookups/lookup.ts'
import type { Evaluate, Scope } from './scope.ts'

interface NamedColumn {
  readonly name: string
  /** Its name in the header: an optional column may differ in case, `Due date` for `Due Date`. */
  actual: string
  /** The places in the mapping file that require it. */
  readonly at: DocumentPath[]
  /** Whether any row so far had it. */
  seen: boolean
  /** Whether no row can have it: all headers are known, and none has it. */
  isAbsent: boolean
}

/** The columns of a source; undefined for NDJSON, which has no header. */
export type Header = readonly string[] | undefined

/** The columns that a mapping names: where, and whether any row had them. */
export class NamedColumns {
  readonly #columns = new Map<string, NamedColumn>()
  readonly #emptyValues: ReadonlySet<unknown>

  /** Cells with one of the `emptyValues` are read as empty. */
  constructor(emptyValues: readonly string[] = []) {
    this.#emptyValues = new Set(emptyValues)
  }

  /** Makes a reader of a column; an optional one may be missing from the header. */
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
    return this.#emptyValues.size === 0 ? read : scope => this.blank(read(scope))
  }

  /** The value, or an empty text for one of the words that mean an empty cell. */
  blank(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(item => this.blank(item))
    return typeof value === 'string' && this.#emptyValues.has(value.trim()) ? '' : value
  }

  /**
   * Takes the headers of all sources; undefined is one of NDJSON. Returns the columns whose names differ between them, which
   * would be ambiguous.
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

  /** The columns with another name in the header. */
  *renamed(): Generator<readonly [name: string, actual: string]> {
    for (const { name, actual } of this.#columns.values()) if (actual !== name) yield [name, actual]
  }

  /** The required columns that no row had. */
  unseen(): string[] {
    return [...this.#columns.values()]
      .filter(({ seen, at }) => !seen && at.length > 0)
      .map(({ name }) => name)
  }

  /** The required columns that a header lacks, with the places that name them. */
  missingFrom(header: readonly string[]): readonly Pick<NamedColumn, 'name' | 'at'>[] {
    const there = new Set(header)
    return [...this.#columns.values()].filter(({ name, at }) => at.length > 0 && !there.has(name))
  }

  /** A column's name in a header: its own, else the only one that differs just in case, unless the mapping names that too. */
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

export interface CompileContext {
  readonly yaml: LocatedYaml
  readonly columns: NamedColumns
  /** Whether the columns named here may be missing from the header. */
  readonly isOptional: boolean
  readonly lookups: Lookups
  readonly lookupNames: readonly string[]
  /** Inside `each`, a dot is the item. */
  readonly inEach?: boolean
}

/** Compiles the reader of a name in a rule or template: a column of the row, or inside `each` the item or one of its fields. */
export function compileReader(
  name: string,
  at: DocumentPath,
  { columns, inEach, isOptional }: CompileContext,
): Evaluate {
  if (!inEach || !name.startsWith('.')) return columns.reader(name, at, isOptional)
  const field = name.slice(1)
  return field === '' ? ({ item }) => item : ({ item }) => atPath(item, field)
}

/** A name in a rule or template as errors have it. */
export function columnLabel(name: string, { itemsColumn }: Scope): string {
  const items = name.startsWith('.') ? itemsColumn?.() : undefined
  return items === undefined ? name : `${items}${name === '.' ? '' : name}`
}

/** Alternative names of one key column; the first that a header has is used. */
export type KeyPart = readonly string[]

/**
 * The columns of `key:` in the sources, which must have the same. Where columns are optional, all sources may lack them all:
 * then their content identifies the rows.
 */
export class KeyColumns {
  readonly #parts: readonly KeyPart[]
  /** The columns that the first source has. */
  #chosen: { readonly source: string; readonly names: readonly string[] } | undefined

  constructor(parts: readonly KeyPart[]) {
    this.#parts = parts
  }

  /** By the first of their names; empty where content identifies the rows. */
  get names(): readonly string[] {
    return this.missing.length > 0 ? [] : this.#parts.map(([first = '']) => first)
  }

  /** All of them where the sources have none. */
  get missing(): readonly string[] {
    return this.#chosen?.names.length === 0 ? this.#parts.flat() : []
  }

  /** Chooses the columns that a header has. Notes a fault where it lacks some, or all but may not, or where sources differ. */
  choose(
    header: readonly string[],
    source: string,
    { yaml, columns, isOptional }: Pick<CompileContext, 'yaml' | 'columns' | 'isOptional'>,
  ): void {
    if (this.#parts.length === 0) return
    const found = this.#parts.map(part => part.find(name => columns.actualIn(name, header) !== undefined))
    const lacking = this.#parts.filter((_, at) => found[at] === undefined)
    const [first] = lacking
    if (first !== undefined && (!isOptional || lacking.length < this.#parts.length)) {
      if (isOptional || first.length > 1)
        yaml.fault(['key'], fileProblem('incomplete_key', { names: first, source }))
      return // a required column without other names is a fault of all columns
    }
    const names = found.filter(name => name !== undefined)
    this.#chosen ??= { source, names }
    if (this.#chosen.names.join() === names.join()) return
    const key = this.#parts.flat().join(', ')
    const sources = { one: this.#chosen.source, other: source }
    yaml.fault(['key'], fileProblem('key_columns_differ', { names: key, ...sources }))
  }
}
