import { atPath } from '../model/values.ts'
import type { DocumentPath, LocatedYaml } from './located-yaml.ts'
import type { Evaluate } from './scope.ts'

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
  readonly #feeds = new Map<string, string>()

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

  /** The column that a rule or template at a body path reads first; positions in lists do not count. */
  feeding(path: string): string | undefined {
    return this.#feeds.get(withoutPositions(path))
  }

  /** Notes that the value at a body path comes from a column. */
  feeds(path: string, column: string): void {
    this.#feeds.set(withoutPositions(path), column)
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

const withoutPositions = (path: string) => path.replaceAll(/\d+/g, '#')

/** What the compiling of a mapping file works with. */
export interface Workshop {
  readonly yaml: LocatedYaml
  readonly columns: NamedColumns
  /** Inside `each`: the column that the items come from, as errors name it. */
  readonly itemsOf?: string | undefined
  /** Inside `each`: the path in the body that the items come to stand at, with a dot behind it. */
  readonly under?: string
}

/** The reader of what a rule or template names: the item or a field of it inside `each`, else a column of the row. */
export function readerOf(name: string, at: DocumentPath, { columns, itemsOf }: Workshop): Evaluate {
  if (itemsOf === undefined || !name.startsWith('.')) return columns.reader(name, at)
  const field = name.slice(1)
  return field === '' ? ({ item }) => item : ({ item }) => atPath(item, field)
}

/** How errors name what a rule or template reads. */
export const columnLabel = (name: string, { itemsOf }: Workshop): string =>
  itemsOf !== undefined && name.startsWith('.') ? `${itemsOf}${name === '.' ? '' : name}` : name
