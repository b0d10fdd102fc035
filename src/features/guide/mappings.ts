import type { CliContext } from '../../cli/context.ts'

/** The mapping files of the sources: read, saved unless somebody else saved meanwhile, and undone. */
export class Mappings {
  readonly context: CliContext
  readonly sources: readonly string[]

  constructor(context: CliContext, sources: readonly string[]) {
    this.context = context
    this.sources = sources
  }
}
