import type { OpenQuestion } from '../../model/mapping-report.ts'
import { type Coded, type Dialect, unreadableFile, type Words } from './sentence.ts'

const helpHint = 'rowlift --help lists the commands, rowlift COMMAND --help their options'

type UserFile =
  | `${'mapping' | 'settings' | 'token' | 'keys'} file`
  | 'result log'
  | 'plan'
  | 'dry-run approval'

type Fault = Readonly<{ file: string; line: number; column: number; problem: Coded }>

const commandEnds: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such program',
  EACCES: 'no permission to run it',
  not_exe: 'there is no .exe of that name; before a .cmd or .bat, write cmd /c',
  SIGKILL: 'it was killed, as after 60 s',
  ERR_INVALID_ARG_VALUE: 'it is not the name of a program',
  ERR_CHILD_PROCESS_STDIO_MAXBUFFER: 'it printed more than 1 MB',
}

const badToken = (file: string | undefined, what: string) =>
  `${file === undefined ? '{$token}' : '{file}'}: contains ${what} → give the bearer token alone`

type LogMismatch = Readonly<Record<'log' | 'what' | 'before' | 'now', string>> &
  Readonly<{ records: number; isMovable: boolean }>

function waysOn({ what, isMovable }: LogMismatch): string {
  if (what === 'key')
    return 'if a column has another name now, add {--renamed} OLD=NEW; if the rows have another key: rowlift log {log} --rekey MAPPING SOURCE..., with the file that was imported before'
  const moved = isMovable
    ? 'if the records were moved along: rowlift log {log} --moved-to {now} --yes; if it is another service, '
    : ''
  return `${moved}name another log by {--results}`
}

type RespelledRows = Readonly<{
  log: string
  mapping: string
  rows: number
  looked: number
  /** Rows that would be created, while rows of the log are missing. */
  others: number
  /** A person said that the rows are the same. */
  isSame: boolean
  change: 'cells' | 'renamed' | 'number' | 'case' | 'signs' | 'key' | 'key_given' | 'key_gone' | 'key_column'
  columns: readonly string[]
  was: string
  now: string
}>

/** What changed in the names of rows that would be sent as before. */
function changeWords({ change, columns }: RespelledRows): string {
  const example = ': {was} became {now}'
  return {
    cells:
      columns.length > 0
        ? '; only the cells of {...columns} differ'
        : '; only cells that are not sent differ',
    renamed: '; they had {...columns}',
    number: `; {...columns} is written as another number now${example}`,
    case: `; {...columns} has other capitals now${example}`,
    signs: `; {...columns} is spelled with other signs now${example}`,
    key: `; {...columns} has another value now${example}`,
    key_given: '; they had no {...columns}, and have one now, such as {now}',
    key_gone: '; their {...columns} is empty now, and was {was}',
    key_column: `; the column {...columns} became part of the key${example}`,
  }[change]
}

const without = 'identity: { without: [{...columns}] }'

function sameOrNew({ change, columns, mapping, isSame }: RespelledRows): string {
  if (isSame)
    return 'if these others are new rows, add {--all-new}, too; if they are the same rows and were edited besides, import them first as they were, under their new names'
  const isOwn = !/^preset:/.test(mapping)
  const rekey = `, or write ${without} into {mapping} and run rowlift log {log} --rekey {mapping} with the file that was imported before`
  const renamed = `, or {--renamed} OLD=NEW for each column that has another name now`
  const more = { renamed, cells: columns.length > 0 && isOwn ? rekey : '' }[change as string] ?? ''
  const isOtherSpelling = ['number', 'case', 'signs'].includes(change)
  return `if they are the same rows, add {--respelled} same, which writes their new names into the log${more}; if they are new rows, add {--respelled} new${isOwn && !isOtherSpelling ? ', or write respelled: new into {mapping}' : ''}`
}

type OtherList = Readonly<{ log: string; known: number; differing: number; isMoved: boolean }>

/** Reasons why a command cannot begin. */
export const usageWords = {
  file_faults: ({ faults }: { faults: readonly Fault[] }) => [
    '{...lines|\n}',
    { lines: faults.map(({ file, line, column, problem }) => [`${file}:${line}:${column}`, problem]) },
  ],
  file_unreadable: (p: { what: UserFile; path: string; reason: string }) =>
    unreadableFile(p.reason, '{path}', p.what),
  file_too_large: '{path}: is larger than {#kilobytes} kB, the most that is read of a {what}',
  bad_values: (_: { faults: readonly (readonly [from: string, reason: string])[] }) => '{...faults|\n}',
  missing_command: ({ commands }: { commands: readonly string[] }) => [
    `Missing command: {commands}\n${helpHint}`,
    { commands: commands.join(', ').replace(/, (\w+)$/, ' or $1') },
  ],
  unknown_command: `Unknown command: {word}{?suggestion}\n${helpHint}`,
  unknown_option: ({ suggestion }: { word: string; suggestion: string | undefined }, { kind }: Dialect) => {
    if (kind === 'library') return '{word}: there is no such option{?suggestion}'
    return `unknown option {word}${suggestion === undefined ? '' : '; did you mean {suggestion}?'}\n${helpHint}`
  },
  missing_value: `--{option} needs a value\n${helpHint}`,
  unexpected_value: `--{option}: must be true or false\n${helpHint}`,
  option_required: (_: { option: string }, { kind }: Dialect) =>
    `{-option} is required → ${kind === 'command' ? 'rowlift COMMAND --help lists every option' : ''}`,
  no_source: 'no source → name the files to import, or - for standard input',
  stdin_twice: 'standard input (-) can be read only once',
  preview_without_dry_run: '{--preview} needs {--dry-run}',
  use_created_contacts_only: '{--use-created} does not work for record: {record} of {mapping} → leave it out',
  unknown_encoding: '{mapping}: source.encoding: the encoding "{encoding}" is not known',
  no_results:
    '{--results} is required for standard input, and for a preset without a terminal: the next run could look for the log in another place, and create every row again',
  stdout_twice: 'standard output (-) can take the {role} or the {other}, not both → give one of them a file',
  cannot_write_artifact: `{path}: the {role} cannot be written ({reason})
    → create the folder, or grant write access to it`,
  cannot_begin_log: `{path}: the result log cannot be written ({reason})
    → create the folder, or grant write access to it, or name a lasting place for the log by {--results}`,
  device_name: '{path}: is a device on Windows → give the {role} another name',
  same_file: '{path}: is the {role} → give the {written} another name',
  source_twice: '{path}: is the same file as {first} → name it once, or its rows come twice',
  no_such_field: `a {record} has no field with {...words| and } in its name
    → one of your own is a custom field: rowlift fields {record} custom`,
  unknown_preset: (p: { name: string; suggestion: string | undefined; known: readonly string[] }) =>
    `preset:{name}: there is no such preset${p.suggestion ? '{?suggestion}' : '.'} The presets are {...known|, }`,

  // rejected rows
  rejects_to_stdout: '{--rejects} needs a file, which you fix and import again',
  rejects_compressed: `{path}: rejected rows are written to be edited
    → give {--rejects} a name that does not end in .gz, .zst or .zip`,
  rejects_not_a_file: '{path}: is not a file that can be replaced → give {--rejects} another name',
  cannot_write_rejects: `{path}: the rejected rows cannot be written there ({reason})
    → grant write access to its folder, or give {--rejects} another name`,
  rejects_mixed_formats: `{--rejects}: rows of tables (CSV, sheets) and objects do not fit into one file
    → import them by two commands, each with its own {--rejects}`,
  rejects_extension: ({ format }: { path: string; format: 'csv' | 'ndjson' }) => [
    `{path}: the rejected rows are {kind}, and the name of the file says otherwise
    → give {--rejects} a name that ends in .{format}`,
    { kind: String(format).toUpperCase() },
  ],
  open_questions: (p: { mapping: string; questions: readonly OpenQuestion[] }) => [
    `{mapping}: {#open|question} of its draft ${p.questions.length === 1 ? 'is' : 'are'} open
    → answer each in the mapping and take its line out; or give {--open-questions} accept:\n{...lines|\n}`,
    { open: p.questions.length, lines: p.questions.map(({ place, text }) => `${place}: ${text}`) },
  ],
  rejects_with_indent: `{mapping}: has a lookup with indent, which needs the rows above, and those are missing among rejected rows
    → fix such rows in the source itself, without {--rejects}`,

  // the result log, and its page
  log_not_a_file: '{path}: is a folder or a pipe → give the result log a file name',
  log_gone: `{path}: is gone, but {inFlight} shows that a run wrote it and was killed
    → put the log back, or every row is created again (to start over anyway, remove {inFlight} too)`,
  not_a_log: `{path}: is not a result log, or its beginning is missing
    → put the whole log back, or name another file; with a new log, all its records would be created again`,
  log_linked: `{path}: has {#names} names (hard links), and under each another run could send its rows
    → remove the other names, or copy the file and give it back its name`,
  /** `log` is the result log that the file is, or belongs to. */
  bad_log_line: `{path}:{#line}: is not a line of a result log, or is damaged
    → rowlift log {log} --repair moves what is damaged to {log}.damaged and puts its row in doubt`,
  lines_missing: `{path}:{#line}: does not follow from the line before it: lines are missing, or out of order
    → put the files back as the last run left them, or: rowlift log {log} --repair`,
  log_cut: `{path}: lacks lines that were on disk, as {inFlight} shows
    → put both files back as the last run left them, or: rowlift log {path} --repair`,
  intents_missing: `{path}: its last run came to no end, and {inFlight}, which has its calls under way, is missing or an older copy
    → put both files back as the last run left them, or: rowlift log {path} --repair`,
  unknown_line: (p: { path: string; line: number; status: string | undefined }) =>
    `{path}:{line}: ${p.status === undefined ? 'is of no known kind' : 'has the unknown status "{status}"'}; a newer version of rowlift wrote it
    → update rowlift`,
  log_mismatch: (p: LogMismatch) =>
    `{log}: belongs to an import with another {what} ({before}, now {now}); its {#records|record} would be created again${p.what === 'base URL' ? ' there' : ''}
    → ${waysOn(p)}`,
  identity_changed: (p: { mapping: string; log: string; isShared: boolean }) =>
    `{mapping}: leaves other columns out of the identity (identity.without) than the rows in {log} are named without
    → ${p.isShared ? 'leave out the same ones: rows in a ledger keep their names' : 'let the log follow: rowlift log {log} --rekey {mapping} with the file that was imported before'}`,
  named_column_gone: (p: {
    source: string
    log: string
    mapping: string
    columns: readonly string[]
    suggestion: string | undefined
    isShared: boolean
  }) => [
    `{source}: has no column {...columns}, by which the rows in {log} are named
      → if it has another name now, add {--renamed} "{old}={now}"; if it is gone, ${p.isShared ? 'put it back: rows in a ledger keep their names' : 'write identity: { without: [{old}] } into {mapping}, and run rowlift log {log} --rekey {mapping} with the file that was imported before'}`,
    { old: p.columns[0], now: p.suggestion ?? 'NEW' },
  ],
  no_row_known: (p: {
    log: string
    mapping: string
    records: number
    rows: number
    columns: readonly string[]
  }) =>
    `{log}: has {#records|record}, and none of the first {#rows|row} is one of its rows${p.columns.length > 0 ? '; all values are new in {...columns}' : ''}
    → if they are the same rows, write ${p.columns.length > 0 ? `${without} or ` : ''}key: into ${/^preset:/.test(p.mapping) ? 'a copy of ' : ''}{mapping}, and run rowlift log {log} --rekey with it and the file that was imported before; if all rows are new, add {--all-new}`,
  another_list: (p: OtherList & { mapping: string | undefined }) =>
    `{log}: {#differing} of the {#known|first row} that have their record there read differently than when it was made${p.mapping === undefined ? '' : ', by {mapping}'}
    → ${p.isMoved ? 'many read as other rows did: if the rows were numbered anew, take a key that stays, and run rowlift log {log} --rekey MAPPING with the file that was imported before; ' : ''}if this is another list that is numbered alike, give it a log of its own, where all of its rows are created; if the rows were edited, add {--changed-rows}`,
  rows_respelled: (p: RespelledRows) =>
    `{log}: {#rows} of the first {#looked|row} are known there under another name${changeWords(p)}${p.others > 0 ? '; {#others|other} would be created, for neither their name nor their content is there' : ''}
    → ${sameOrNew(p)}`,
  not_a_lock: `{path}: has the name of the result log's lock, but is not a lock
    → if no run is writing the log, remove it, then {$again}`,
  log_not_found: '{path}: there is no such result log → name the one that the import wrote',
  log_not_begun: '{path}: has only the start of its first line → run the import again, which begins it anew',
  no_log_named: 'name the result logs to show: rowlift report RESULTS..., or {--ledger} URL {--import} NAME',
  page_not_a_file: '{path}: is a folder or a device → give the page a file name, such as import.html',
  not_a_page: `{path}: exists, is not a page of rowlift report, and is not overwritten
    → give the page another name`,
  cannot_write_page: `{path}: the page cannot be written there ({reason})
    → name an existing folder that you may write to`,
  page_to_stdout: '{--report} needs a file; rowlift report RESULTS -o - writes the page to standard output',
  page_without_log: `{--report} shows the result log, and {--results} - leaves none
    → name a file as {--results}`,

  // lookups
  lookup_log_not_found: `{path}: there is no such result log (lookups.{lookup} of the mapping)
    → run the import that writes it first`,
  lookup_log_mismatch: `{path}: belongs to another {what} ({before}, now {now}), where its ids mean nothing
    → name the log of this import's own service (lookups.{lookup} of the mapping)`,
  lookup_too_large: '{path}: takes more than 1 GB as a lookup, at 150 bytes a line and its value',
  lookup_unreadable: '{@problem} (lookups.{lookup} of the mapping)',
  lookup_without_document: `lookups.{lookup}: reads a list of the sources, and none of them is the file of a JSON document
    → name its file in the mapping, or import rejected rows before their document, by one command`,
  bad_lookup_row: (p: { path: string; line: number; column: string | undefined; problem: Coded }) =>
    `{path}:{line}: ${p.column === undefined ? '' : '{column} '}{problem} (this file is a lookup of the mapping)`,

  // the fields of records, and the library
  source_or_rows: 'give either source or rows',
  rows_not_iterable: 'rows: must be a list of objects, or any other iterable of them',
  rows_have_no_format: 'format, delimiter and encoding belong to source; rows are objects',
  standard_stream: (p: { option: string }) =>
    `{option}: "-" is a stream of the process, which belongs to your program; give a path${p.option === 'source' ? ', or the rows themselves as rows' : ''}`,
  mapping_not_serializable: 'mapping: JSON cannot represent it ({reason})',
  already_iterated: `the outcomes of an import can be read only once, by the loop that starts it
    → ask for the summary after the loop`,

  // the token, the address of the service, and the way there
  no_token: `no token
    → put the bearer token into {$token}, into a file named by {--token-file}, or let {--token-command} print it`,
  token_twice: 'give {--token-file} or {--token-command}, not both',
  /** The file of the token, or the program that prints it; undefined for the environment or the option. */
  empty_token: (p: { file: string | undefined }) => badToken(p.file, 'no token'),
  bad_token: (p: { file: string | undefined }) => badToken(p.file, 'characters that a token cannot have'),
  /** The exit code, the signal that ended the program, or the system's code. */
  token_command_failed: (p: { program: string; end: number | string }) =>
    `{program}: printed no token (${commandEnds[p.end] ?? (typeof p.end === 'number' ? 'exit code {end}' : '{end}')})
    → try by hand what {--token-command} says: it must print the token, ask nothing, and end with exit code 0`,
  bad_base_url: `{-option}: is not a web address without user, password, query, fragment and control characters
    → give one such as https://api.example.com`,
  insecure_base_url: `{--base-url}: {origin} would send the token unencrypted
    → use https://, or allow it with {--allow-http}`,
  certificates_unchecked: `NODE_TLS_REJECT_UNAUTHORIZED=0 lets anybody answer in the place of the service and read the token
    → remove it from the environment; NODE_EXTRA_CA_CERTS=FILE trusts a certificate of your own`,
  bad_proxy: `the proxy in HTTPS_PROXY, HTTP_PROXY or ALL_PROXY is not an address such as http://proxy.example.com:3128
    → give one, or add the service to NO_PROXY`,
} as const satisfies Words
