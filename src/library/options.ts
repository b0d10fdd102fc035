import type { Format } from '../model/format.ts'
import type { Fault } from '../model/outcome.ts'
import type { Option, OptionValues } from '../settings/option-values.ts'
import type { importOptions } from '../settings/options.ts'

/** An import, from files or from rows of your own. */
export type ImportRowsOptions = ImportOptions & (FromFiles | FromRows)

/** Rows in files. */
export interface FromFiles {
  /** The path of a file, or a list of paths; files that end in `.gz` are unpacked. */
  readonly source: string | readonly string[]
  readonly rows?: undefined
  /** The format; by default as the mapping says, else by the name: `.ndjson` and `.jsonl`, else CSV. */
  readonly format?: Format | undefined
  /** Separates cells. By default as the mapping says, else a comma, or a tab in files that end in `.tsv`. */
  readonly delimiter?: string | undefined
  /** Any encoding of iconv, such as `windows-1252`; a byte-order mark wins. By default as the mapping says, else UTF-8. */
  readonly encoding?: string | undefined
}

/** Rows of your program. */
export interface FromRows extends Readonly<Partial<Record<Exclude<keyof FromFiles, 'rows'>, undefined>>> {
  /**
   * Objects with the columns as keys, taken one by one as calls settle. Each is read like a line of NDJSON on standard input,
   * with the same key, number (`row`, from 1) and faults; its source is `-`. A row that JSON cannot hold (undefined, bigint,
   * functions, symbols, NaN, Map, Set, circles) is `invalid`, and the run goes on; null is an empty cell. Needs `results`,
   * unless `dryRun` is set.
   */
  readonly rows: AsyncIterable<object> | Iterable<object>
}

type Table = typeof importOptions
/** Options that the command has alone, or that have another type in code. */
type Other = 'mapping' | keyof Omit<FromFiles, 'source' | 'rows'>
type SharedName = { [N in keyof Table]: Table[N] extends { isForCommand: true } ? never : N }[keyof Table]
type Share = `${number}%`

type ValueInCode<O extends Option> = O extends { kind: 'share' }
  ? Share
  : O extends { kind: 'rows_or_share' }
    ? number | Share
    : O extends { kind: 'duration' }
      ? number | string
      : O extends { kind: 'rules' }
        ? readonly AnswerRule[]
        : NonNullable<OptionValues<{ option: O }>['option']>

/** Options as the table of the command has them; the build adds its texts to `ImportOptions` as docstrings. */
type SharedOptions = {
  readonly [N in Exclude<SharedName, Other>]?: ValueInCode<Table[N]> | undefined
}

/** The options of the command `rowlift import`, in camelCase. `ROWLIFT_*` variables and settings files are not read. */
export interface ImportOptions extends SharedOptions {
  /**
   * The mapping: a path, `preset:NAME`, or the mapping itself as an object. Paths of lookups are relative to the file, or to
   * the working directory if the mapping is an object.
   */
  readonly mapping: string | Readonly<Record<string, unknown>>
  /**
   * The path of the result log, which decides what is new: rows with a record in it are not sent again. Required, unless
   * `dryRun` is set: then it is only read; by default it is named after the file of the mapping, in the working directory.
   */
  readonly results?: string | undefined
  /** The path of a file that gets, in a dry run, the outcome of each row that `where` selects, as NDJSON. */
  readonly preview?: string | undefined
  /** The version of the service. `1.0` by default. */
  readonly apiVersion?: string | undefined
  /** The bearer token. This, `tokenFile` or `tokenCommand` is required, unless `dryRun` is set. */
  readonly token?: string | undefined
  /** The path of a file that holds the bearer token; it beats `token`, and is read again when the service refuses it. */
  readonly tokenFile?: string | undefined
  /** Asks for a similar contact instead of a new one, for contacts alone. By default as the mapping says. */
  readonly useCreated?: boolean | undefined
  /** The meaning of undocumented answers of the service; the first rule that matches counts. */
  readonly responses?: readonly AnswerRule[] | undefined
  /**
   * Stops the run when it is aborted, as Ctrl-C stops the command: no new call starts, those in flight are settled, and the
   * summary says `aborted`. Nothing is thrown.
   */
  readonly signal?: AbortSignal | undefined
}

/** The meaning of an answer. `status` or `body` is required. */
export interface AnswerRule {
  /** An HTTP status, or a list of them. */
  readonly status?: number | readonly number[] | undefined
  /** A part of the answer's text, in any case. */
  readonly body?: string | undefined
  readonly means: Fault
}
