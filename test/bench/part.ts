import { cellsOf, headOfLines, type Line } from './lines.ts'
import type { Service } from './service.ts'
import type { Sizes } from './sizes.ts'
import type { Workspace } from './workspace.ts'

/** What each part of the benchmark works with. */
export interface BenchContext {
  readonly workspace: Workspace
  readonly service: Service
  readonly sizes: Sizes
  /** Says what is being done. */
  readonly say: (text: string) => void
  /** Called for a run that went wrong. */
  readonly onFailure: (what: string, error: unknown) => void
}

export interface Table {
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** A part of the benchmarks: what its table is about, how its figures are to be read, and what makes it. */
export interface Part {
  readonly title: string
  readonly reading: string
  readonly measure: (context: BenchContext) => Promise<Table>
}

export const tableOf = (lines: readonly Line[]): Table => ({ head: headOfLines, rows: lines.map(cellsOf) })

/** The result of a measurement; one that fails is reported, and `instead` is returned. */
export async function attempted<T>(
  what: string,
  { say, onFailure }: BenchContext,
  measure: () => Promise<T>,
  instead: T,
): Promise<T> {
  say(what)
  try {
    return await measure()
  } catch (error) {
    onFailure(what, error)
    return instead
  }
}

export const wentWrong = 'went wrong'

export const linesOf = (
  what: string,
  context: BenchContext,
  measure: () => Promise<readonly Line[]>,
): Promise<readonly Line[]> => attempted(what, context, measure, [{ what, rowlift: wentWrong, beside: '–' }])
