import type { Format } from '../model/format.ts'
/** An import, from files or from rows of your own. */
export type ImportRowsOptions = ImportOptions & (FromFiles | FromRows)

/** Rows in files. */
export interface FromFiles {
  /** The path of a file, or a list of paths; files that end in `.gz` are unpacked. */
  readonly source: string | readonly string[]
  readonly rows?: undefined
  /** By default as the mapping says, else by the name: `.ndjson` and `.jsonl`, else CSV. */
  readonly format?: Format | undefined
  /** Separates cells. By default as the mapping says, else a comma, or a tab in files that end in `.tsv`. */
  readonly delimiter?: string | undefined
  /** Any encoding of iconv, such as `windows-1252`; a byte-order mark wins. By default as the mapping says, else UTF-8. */
  readonly encoding?: string | undefined
}

/** Rows of your program. */
export interface FromRows {
  /**
   * Objects with the columns as keys, taken one by one as calls settle. Each is read like a line of NDJSON on standard input,
   * with the same key, number (`row`, from 1) and faults; its source is `-`. A row that JSON cannot hold (undefined, bigint,
   * functions, symbols, NaN, Map, Set, circles) is `invalid`, and the run goes on; null is an empty cell. Needs `results`,
   * unless `dryRun` is set.
   */
  readonly rows: AsyncIterable<object> | Iterable<object>
  readonly source?: undefined
  readonly format?: undefined
  readonly delimiter?: undefined
  readonly encoding?: undefined
}

/** The options of the command `rowlift import`, in camelCase. `ROWLIFT_*` variables and settings files are not read. */
export interface ImportOptions {
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
  /** Allows a new result log beside another one of the same import, which is else refused (`other_log`). False by default. */
  readonly newLog?: boolean | undefined
  /** Reads, maps, checks and predicts; sends nothing. False by default. */
  readonly dryRun?: boolean | undefined
  /** In a dry run: the path of a file that gets the outcome of each row that `where` selects, as NDJSON. */
  readonly preview?: string | undefined
  /**
   * The path of a file that gets the rows that are invalid or failed, in the format of the source (your own rows as NDJSON).
   * Once fixed, it is a `source` for the same mapping and `results`.
   */
  readonly rejects?: string | undefined
  /** Reads one-byte encodings as given, also in lookups, even if the text is UTF-8 by its bytes. False by default. */
  readonly trustEncoding?: boolean | undefined
  /** Most rows that are sent. No limit by default. */
  readonly limit?: number | undefined

  /** The service, such as `https://api.example.com`. Required, unless `dryRun` is set. */
  readonly baseUrl?: string | undefined
  /** The version of the service. `1.0` by default. */
  readonly apiVersion?: string | undefined
  /** The organization that gets the records. Required, unless `dryRun` is set. */
  readonly organizationId?: number | undefined
  /** The bearer token. This, `tokenFile` or `tokenCommand` is required, unless `dryRun` is set. */
  readonly token?: string | undefined
  /** The path of a file that holds the bearer token; it beats `token`, and is read again when the service refuses it. */
  readonly tokenFile?: string | undefined
  /** A program that prints it, with its arguments: it runs without a shell, and again when the service refuses the token. */
  readonly tokenCommand?: string | undefined
  /** Allows `http://` addresses beyond this machine. False by default. */
  readonly allowHttp?: boolean | undefined
  /** For contacts: asks for a similar contact instead of a new one. By default as the mapping says. */
  readonly useCreated?: boolean | undefined

  /** Resending of calls without an answer. `at-least-once` by default for contacts with `use_created`. */
  readonly delivery?: 'at-most-once' | 'at-least-once' | undefined
  /** For rows in doubt from an earlier run. `resend` by default with `at-least-once`, else `hold`. */
  readonly inDoubt?: 'hold' | 'resend' | undefined
  /** Most calls in flight, from 1 to 1000. 10 by default. */
  readonly concurrency?: number | undefined
  /** Most calls started in a second, retries included. No limit by default. */
  readonly rate?: number | undefined
  /** Further attempts after the first. 5 by default. */
  readonly retries?: number | undefined
  /** Seconds for one attempt. 120 by default; a short timeout creates doubt, not speed. */
  readonly timeout?: number | undefined
  /** Waits for a service that is down instead of giving up: seconds, or a text such as `2h`, `30m`, `90s`. Not at all by default. */
  readonly waitForService?: number | string | undefined
  /** Stops when more rows than this are invalid, failed or in doubt; a share such as `5%` counts from row 100 on. No limit by default. */
  readonly maxFailures?: number | `${number}%` | undefined
  /** Fewer rows than this give exit code 1. By default as the mapping says, else 1. */
  readonly expectRowsMin?: number | undefined
  /** A smaller share than this of the rows of the last run gives exit code 1. By default as the mapping says. */
  readonly expectRowsOfLast?: `${number}%` | undefined
  /** More rows than this that get the record of another row give exit code 1. By default as the mapping says, else 0. */
  readonly expectMerged?: number | `${number}%` | undefined
  /** Leaving out a larger share than this of the values of a column gives exit code 1. By default as the mapping says. */
  readonly expectOmitted?: `${number}%` | undefined
  /** So many rows may be invalid, and the exit code is still 0. By default as the mapping says. */
  readonly expectInvalid?: number | `${number}%` | undefined
  /** With `complete`, answers that lack fields that were sent give exit code 1. By default as the mapping says, else `told`. */
  readonly expectAnswers?: 'told' | 'complete' | undefined
  /** With `accept`, rows that were refused before and read the same do not change the exit code. `report` by default. */
  readonly knownRejects?: 'report' | 'accept' | undefined
  /**
   * Rows with the same e-mail, phone, or name but for case, accents and order as an earlier row: `report` counts them, `hold`
   * refuses them as invalid (`near_duplicate`). `report` by default in a dry run, else `off`.
   */
  readonly nearDuplicates?: 'off' | 'report' | 'hold' | undefined
  /**
   * Seconds without a heartbeat after which the lock of another run is stale. 5 by default; raise it on network file systems.
   */
  readonly lockTimeout?: number | undefined
  /** The meaning of undocumented answers of the service; the first rule that matches counts. */
  readonly responses?: readonly ResponseRule[] | undefined

  /**
   * Stops the run when it is aborted, as Ctrl-C stops the command: no new call starts, those in flight are settled, and the
   * summary says `aborted`. Nothing is thrown.
   */
  readonly signal?: AbortSignal | undefined
}

/** The meaning of an answer. `status` or `body` is required. */
export interface ResponseRule {
  /** An HTTP status, or a list of them. */
  readonly status?: number | readonly number[] | undefined
  /** A part of the answer's text, in any case. */
  readonly body?: string | undefined
  readonly means: 'never_reached' | 'throttled' | 'refused' | 'unauthorized' | 'ambiguous'
}
