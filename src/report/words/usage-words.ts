import type { ApprovalDifference, FileFault, UsageProblems } from '../../model/errors.ts'
import { fileWords } from './file-words.ts'
import { ledgerWords } from './ledger-words.ts'
import { describeProblem } from './row-words.ts'
import { type Catalogue, type Face, list, sentenceOf, suggested, unreadable } from './sentence.ts'
import { serviceWords } from './service-words.ts'
import { settlingWords } from './settling-words.ts'
import { sourceWords } from './source-words.ts'

const faultText = ({ file, line, column, problem }: FileFault, face: Face) =>
  `${file}:${line}:${column}: ${sentenceOf(fileWords, problem, face)}`

/** With the beginnings of hashes. */
const differenceText = ({ what, approved, now }: ApprovalDifference) =>
  `\n  ${what}: approved ${approved}, now ${now}`.replaceAll(/([0-9a-f]{12})[0-9a-f]{52}/g, '$1…')

/** `read, write or delete`. */
const oneOf = (words: readonly string[]) => words.join(', ').replace(/, (\w+)$/, ' or $1')

/** Sentences about a command that cannot begin as it was given. */
export const usageWords: Catalogue<UsageProblems> = {
  file_faults: ({ faults }, face) => faults.map(fault => faultText(fault, face)).join('\n'),
  file_unreadable: ({ what, path, reason }) => unreadable(path, what, reason),
  file_too_large: ({ what, path, kilobytes }) =>
    `${path}: is larger than ${kilobytes} kB, the most that is read of a ${what}`,
  bad_values: ({ faults }) => faults.map(([from, reason]) => `${from}: ${reason}`).join('\n'),
  missing_command: ({ commands }) => `Missing command: ${oneOf(commands)}\n${helpHint}`,
  unknown_command: ({ word, suggestion }) => `Unknown command: ${word}${suggested(suggestion)}\n${helpHint}`,
  unknown_option: ({ word, suggestion }, face) =>
    face.kind === 'command'
      ? `Unknown argument: ${word}${suggested(suggestion)}\n${helpHint}`
      : `${word}: there is no such option${suggested(suggestion)}`,
  missing_value: ({ option }) => `--${option} needs a value\n${helpHint}`,
  unexpected_value: ({ option }) => `--${option}: must be true or false\n${helpHint}`,
  option_required: ({ option }, face) =>
    face.kind === 'command'
      ? [`--${option} is required`, 'rowlift COMMAND --help lists every option']
      : `${face.option(option)} is required`,
  no_source: () => ['no source', 'name the files to import, or - for standard input'],
  stdin_twice: () => 'standard input (-) can be read only once',
  preview_without_dry_run: (_, { option }) => `${option('preview')} needs ${option('dry-run')}`,
  watch_options: () =>
    '--watch needs --dry-run and files, not standard input or a pipe, and goes without --plan, --preview, --report, --summary, --rejects, --metrics and --approval',
  use_created_contacts_only: ({ mapping, record }, { option }) =>
    `${option('use-created')} works for contacts only; ${mapping} has record: ${record}`,
  unknown_encoding: ({ mapping, encoding }) =>
    `${mapping}: source.encoding: the encoding "${encoding}" is not known`,
  no_results: (_, { option }) =>
    `${option('results')} is required for standard input and without a terminal: a default log name could change between runs, and every row would be created again`,
  stdout_twice: ({ role, other }) => [
    `standard output (-) can take the ${role} or the ${other}, not both`,
    'give one of them a file',
  ],
  metrics_with_dry_run: (_, { option }) => [
    `${option('metrics')} is for runs that send, and a dry run would look like one`,
    'leave it out',
  ],
  not_approvable: ({ what }, { option }) => [
    `${what}: cannot be approved yet; ${option('approval')} needs sources and a result log that are files`,
    'save the source as a file, and name a result log',
  ],
  approval_differs: ({ path, differences }) => [
    `${path}: what was approved is not what there is:${[...new Set(differences.map(differenceText))].join('')}`,
    'dry-run again with the same options, and have the new approval reviewed',
  ],
  cannot_write_artifact: ({ path, role, reason }) => [
    `${path}: the ${role} cannot be written (${reason})`,
    'create the folder, or grant write access to it',
  ],
  same_file: ({ path, role, written }) => [`${path}: is the ${role}`, `give the ${written} another name`],

  set_in_plan: ({ given }) => [`${given.join(', ')}: is set in the plan, for each step`, 'remove it here'],
  plan_source_not_a_file: ({ path, step }) =>
    `${path}: is not a regular file and can be read only once; the step ${step} needs one, because a plan checks all its sources before the first step`,
  rejects_to_stdout: (_, { option }) => `${option('rejects')} needs a file, which you fix and import again`,
  rejects_compressed: ({ path }, { option }) => [
    `${path}: rejected rows are written to be edited`,
    `give ${option('rejects')} a name that does not end in .gz, .zst or .zip`,
  ],
  rejects_not_a_file: ({ path }, { option }) => [
    `${path}: is not a file that can be replaced`,
    `give ${option('rejects')} another name`,
  ],
  cannot_write_rejects: ({ path, reason }, { option }) => [
    `${path}: the rejected rows cannot be written there (${reason})`,
    `grant write access to its folder, or give ${option('rejects')} another name`,
  ],
  rejects_mixed_formats: (_, { option }) => [
    `${option('rejects')}: rows of tables (CSV, sheets) and objects do not fit into one file`,
    `import them by two commands, each with its own ${option('rejects')}`,
  ],
  rejects_extension: ({ path, format }, { option }) => [
    `${path}: the rejected rows are ${format.toUpperCase()}, and a file of this name is not read as that`,
    `give ${option('rejects')} a name that ends in .${format}`,
  ],
  rejects_with_indent: ({ mapping }, { option }) => [
    `${mapping}: has a lookup with indent, which needs the rows above, and those are missing among rejected rows`,
    `fix such rows in the source itself, without ${option('rejects')}`,
  ],

  unknown_preset: ({ name, suggestion, known }) =>
    `preset:${name}: there is no such preset${suggested(suggestion) || '.'} The presets are ${known.join(', ')}`,

  log_not_a_file: ({ path }) => [`${path}: is a folder or a pipe`, 'give the result log a file name'],
  log_gone: ({ path, inFlight }) => [
    `${path}: is gone, but ${inFlight} shows that a run wrote it and was killed`,
    `put the log back, or every row is created again (to start over anyway, remove ${inFlight} too)`,
  ],
  not_a_log: ({ path }) => [
    `${path}: is not a result log, or its beginning is missing`,
    'name another file, or put the whole log back',
  ],
  log_linked: ({ path, names }) => [
    `${path}: has ${names} names (hard links), and under each another run could send its rows`,
    'remove the other names, or copy the file and give it back its name',
  ],
  bad_log_line: ({ path, line, log }) => [
    `${path}:${line}: is not a line of a result log, or is damaged`,
    `rowlift log ${log} --repair restores what can be read and puts the other rows in doubt`,
  ],
  unreadable_line: ({ path, line, log }) => [
    `${path}:${line}: is damaged, and which rows it told of cannot be read, so nothing was changed`,
    `put back a copy of ${log}, and of what is beside it, that was made after its last run`,
  ],
  unknown_line: ({ path, line, status }) => [
    `${path}:${line}: ${status === undefined ? 'is of no known kind' : `has the unknown status "${status}"`}; a newer version of rowlift wrote it`,
    'update rowlift',
  ],
  bad_in_flight_file: ({ path }) => [
    `${path}: is damaged; it lists the calls that were under way when a run ended`,
    'look in the service for the last rows of the source that are not in the result log, then remove this file',
  ],
  log_mismatch: ({ log, what, before, now }, { option }) => [
    `${log}: belongs to an import with another ${what} (${before}, now ${now})`,
    `give this import its own result log with ${option('results')}`,
  ],
  other_log: ({ log, others, isStep }, { option }) => [
    `${log}: would be a new result log, but this import already has ${list(others, 3)}, whose rows would be created again`,
    `go on with that log by ${isStep ? 'results: in the step' : option('results')}, or begin another by ${option('new-log')}`,
  ],
  lookup_log_not_found: ({ path, lookup }) => [
    `${path}: there is no such result log (lookups.${lookup} of the mapping)`,
    'run the import that writes it first',
  ],
  lookup_log_mismatch: ({ path, lookup, what, before, now }) => [
    `${path}: belongs to another ${what} (${before}, now ${now}), where its ids mean nothing`,
    `name the log of this import's own service (lookups.${lookup} of the mapping)`,
  ],
  lookup_too_large: ({ path }) =>
    `${path}: takes more than 1 GB as a lookup, at 150 bytes a line and its value`,
  lookup_unreadable: ({ lookup, problem }, face) =>
    `${sentenceOf(sourceWords, problem, { ...face, lookup })} (lookups.${lookup} of the mapping)`,
  lookup_without_document: ({ lookup }) => [
    `lookups.${lookup}: reads a list of the sources, and none of them is the file of a JSON document`,
    'name its file in the mapping, or import rejected rows before their document, by one command',
  ],
  bad_lookup_row: ({ path, line, column, problem }, face) =>
    `${path}:${line}: ${column === undefined ? '' : `${column} `}${describeProblem(problem, face)} (this file is a lookup of the mapping)`,
  not_a_lock: ({ path }, { again }) => [
    `${path}: has the name of the result log's lock, but is not a lock`,
    `if no run is writing the log, remove it, then ${again}`,
  ],
  log_not_found: ({ path }) => [`${path}: there is no such result log`, 'name the one that the import wrote'],
  no_log_named: () => 'name the result logs to show: rowlift report RESULTS...',
  page_not_a_file: ({ path }) => [
    `${path}: is a folder or a device`,
    'give the page a file name, such as import.html',
  ],
  not_a_page: ({ path }) => [
    `${path}: exists, is not a page of rowlift report, and is not overwritten`,
    'give the page another name',
  ],
  cannot_write_page: ({ path, reason }) => [
    `${path}: the page cannot be written there (${reason})`,
    'name an existing folder that you may write to',
  ],
  page_to_stdout: (_, { option }) =>
    `${option('report')} needs a file; rowlift report RESULTS -o - writes the page to standard output`,
  page_without_log: (_, { option }) => [
    `${option('report')} shows the result log, and ${option('results')} - leaves none`,
    `name a file as ${option('results')}`,
  ],
  one_log_only: ({ command }) => `name one result log: rowlift ${command} RESULTS`,
  log_options: () => 'give one of --ids, --json, --compact and --repair; --run and --all belong to --ids',
  unknown_run: ({ log, run, isAmbiguous }) => [
    `${log}: ${isAmbiguous ? 'several runs have an id' : 'no run has an id'} that begins with "${run}"`,
    `rowlift log ${log} lists the runs`,
  ],
  no_record_named: ({ records }) => `name a record: rowlift fields ${records.join('|')}`,
  no_such_field: ({ record, words }) => [
    `a ${record} has no field with ${words.join(' and ')} in its name`,
    'one of your own is a custom field: rowlift fields task custom',
  ],
  one_source_only: () => 'name one source: rowlift init FILE, or - for standard input',
  several_need_folder: () =>
    'several files become a folder of mappings and a plan: rowlift init FILE FILE -o FOLDER/',
  stream_in_migration: () => [
    'a plan reads files, not standard input',
    'save it as a file, or leave the folder out: rowlift init - -o MAPPING.yaml',
  ],
  output_exists: ({ path }) => [`${path}: exists and is not overwritten`, 'give another name with -o'],
  cannot_write_draft: ({ path, reason }) => `${path}: the mapping cannot be written (${reason})`,
  no_mapping_named: () => 'name the mapping files to test: rowlift test MAPPING...',
  no_tests: ({ mappings }) => [
    `${mappings.join(', ')}: nothing to test`,
    'write rows and what to expect of them under tests: in the mapping',
  ],
  source_or_rows: () => 'give either source or rows',
  rows_not_iterable: () => 'rows: must be a list of objects, or any other iterable of them',
  rows_have_no_format: () => 'format, delimiter and encoding belong to source; rows are objects',
  standard_stream: ({ option }) =>
    `${option}: "-" is a stream of the process, which belongs to your program; give a path${option === 'source' ? ', or the rows themselves as rows' : ''}`,
  mapping_not_serializable: ({ reason }) => `mapping: JSON cannot represent it (${reason})`,
  already_iterated: () => [
    'the outcomes of an import can be read only once, by the loop that starts it',
    'ask for the summary after the loop',
  ],
  sandbox_failed: ({ reason }) => `the sandbox could not start: ${reason}`,
  ...ledgerWords,
  ...serviceWords,
  ...settlingWords,
}

const helpHint = 'rowlift --help lists the commands, rowlift COMMAND --help their options'
