import type { CliContext } from './context.ts'

/** What the command was given. */
export interface ImportCommand {
  readonly sources: readonly string[]
  readonly flags: Readonly<Record<string, unknown>>
  /** The words of the command line, to say what to type next. */
  readonly args: readonly string[]
  readonly context: CliContext
}
