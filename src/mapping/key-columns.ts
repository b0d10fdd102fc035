import { fileProblem } from '../model/problem.ts'
import type { CompileContext } from './columns.ts'

/** Columns of which the first that a header has names rows, or is a part of what names them. */
export type KeyPart = readonly string[]

/** Which columns of a source name its rows: one for each part, empty where rows are named by their content. */
interface Chosen {
  readonly source: string
  readonly names: readonly string[]
}

/**
 * The columns of `key:`. Where columns are optional, a header may lack them all; then rows are named by their content
 * (DESIGN 3), and so must those of every other source be.
 */
export class KeyColumns {
  readonly #parts: readonly KeyPart[]
  #first: Chosen | undefined

  constructor(parts: readonly KeyPart[]) {
    this.#parts = parts
  }

  /** The columns that name rows, by the first of their names; empty where there are none. */
  get names(): readonly string[] {
    return this.missing.length > 0 ? [] : this.#parts.map(([first = '']) => first)
  }

  /** The columns of which the sources have none. */
  get missing(): readonly string[] {
    return this.#first?.names.length === 0 ? this.#parts.flat() : []
  }

  /**
   * Chooses the columns that a header has. Notes a fault where it has some parts and lacks others, where it lacks them
   * all and may not, or where another source has other columns.
   */
  look(
    header: readonly string[],
    source: string,
    { yaml, columns, isOptional }: Pick<CompileContext, 'yaml' | 'columns' | 'isOptional'>,
  ): void {
    if (this.#parts.length === 0) return
    const has = (name: string) => columns.actualIn(name, header) !== undefined
    const names = this.#parts.map(part => part.find(has))
    const lacking = this.#parts.filter((_, at) => names[at] === undefined)
    const [lacked] = lacking
    if (lacked !== undefined && (!isOptional || lacking.length < this.#parts.length)) {
      if (isOptional || lacked.length > 1)
        yaml.fault(['key'], fileProblem('incomplete_key', { names: lacked, source }))
      return // one that is named alone was told with the other columns
    }
    const chosen = names.filter(name => name !== undefined)
    this.#first ??= { source, names: chosen }
    if (this.#first.names.join() !== chosen.join())
      yaml.fault(
        ['key'],
        fileProblem('key_columns_differ', {
          names: this.#parts.flat().join(', '),
          one: this.#first.source,
          other: source,
        }),
      )
  }
}
