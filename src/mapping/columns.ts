import { atPath } from '../model/values.ts'
import type { DocumentPath, LocatedYaml } from './located-yaml.ts'
import type { Evaluate, Scope } from './scope.ts'

/** One column that a mapping names. */
interface NamedColumn {
  readonly name: string
  /** Where in the mapping file it is named. */
  readonly at: DocumentPath[]
  /** Whether any row so far had it. */
  seen: boolean
}

/** Every column that a mapping names, where it names it, and whether any row had it. */
export class NamedColumns {
  readonly #columns = new Map<string, NamedColumn>()

  /** A reader of the column in a row. */
  reader(name: string, at: DocumentPath): Evaluate {
    const column = this.#columns.get(name) ?? { name, at: [], seen: false }
    column.at.push(at)
    this.#columns.set(name, column)
    return ({ row }) => {
      const value = row.value(name)
      if (value !== undefined) column.seen = true
      return value
    }
  }

  /** The columns of which no row had a cell. */
  unseen(): string[] {
    return [...this.#columns.values()].filter(column => !column.seen).map(column => column.name)
  }

  /** The columns that a header lacks, with the places that name them. */
  missingFrom(header: readonly string[]): readonly Pick<NamedColumn, 'name' | 'at'>[] {
    const there = new Set(header)
    return [...this.#columns.values()].filter(column => !there.has(column.name))
  }
}

/** What the compiling of a mapping file works with. */
export interface Workshop {
  readonly yaml: LocatedYaml
  readonly columns: NamedColumns
  /** Whether it stands inside `each`, where a dot is the item. */
  readonly inEach?: boolean
}

/** The reader of what a rule or template names: the item or a field of it inside `each`, else a column of the row. */
export function readerOf(name: string, at: DocumentPath, { columns, inEach }: Workshop): Evaluate {
  if (!inEach || !name.startsWith('.')) return columns.reader(name, at)
  const field = name.slice(1)
  return field === '' ? ({ item }) => item : ({ item }) => atPath(item, field)
}

/** How errors name what a rule or template reads. */
export const columnLabel = (name: string, { itemsOf }: Scope): string =>
  itemsOf !== undefined && name.startsWith('.') ? `${itemsOf}${name === '.' ? '' : name}` : name
