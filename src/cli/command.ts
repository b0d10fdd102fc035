import type { Options, OptionValues } from '../settings/option-values.ts'
import type { CliContext } from './context.ts'

/** The options of every command. */
export const helpOptions = {
  help: { kind: 'flag', alias: 'h', text: 'Show help' },
  version: { kind: 'flag', text: 'Show version number' },
} as const satisfies Options

/** A command as data: its code is loaded only when it runs, because loading takes most of the start. */
export interface Command {
  readonly describe: string
  /** One form a line. */
  readonly usage: readonly string[]
  readonly about?: string
  readonly options: Options
  /** Options that most runs need, if there are many: help shows the others with `--all`. */
  readonly common?: readonly string[]
  /** A line to type, and its effect. */
  readonly examples: readonly (readonly [string, string])[]
  /** Its exit codes, besides the usual 0, 2 and 70; undefined if they are those of an import. */
  readonly codes?: Readonly<Record<number, string>>
  /** Its options may also come from variables and a settings file; it reads them itself. */
  readonly hasSettings?: true
  readonly load: () => Promise<Run<never>>
}

export interface ParsedArgs {
  readonly positionals: readonly string[]
  /** Values by option; an option that comes several times has a list. */
  readonly flags: Readonly<Record<string, unknown>>
}

/** Runs a command with the values of its options; returns the exit code. */
export type Run<T extends Options = Options> = (
  parsed: ParsedArgs & { readonly values: OptionValues<T> },
  context: CliContext,
) => Promise<number>
