// docs/usage/errors.md, made of the catalogue of sentences: `npm run schema` writes it.

/** The page, from the entries of each group. `explain(entry, textOf, example)` gives what a code means and how to fix it. */
export const errorsPage = (catalogues, explain) => `${intro}
${Object.entries(sections)
  .map(([group, [title, lead]]) => {
    const rows = Object.entries(catalogues[group]).map(([code, entry]) => row(code, entry, explain))
    return `## ${title}\n\n${lead}\n\n| code | meaning | what to do |\n|---|---|---|\n${rows.join('')}`
  })
  .join('\n')}`

const intro = `# Errors and their codes

<!-- Made by \`npm run schema\` from src/output/words/. -->

Branch on codes, never on messages. A message may be reworded in any release; a code does not change once it is released.

A row that is \`invalid\`, \`failed\` or \`in_doubt\` has \`errors\` in its line of the [result log](result-log.md):

\`\`\`json
{"path":"emails.0.email","column":"Email","value":"nope","code":"not_email","message":"is not an e-mail address"}
\`\`\`

| field | meaning |
|---|---|
| \`code\` | what is wrong, for programs |
| \`message\` | the same in words, and often what to do |
| \`path\` | the place in the body; empty if the whole row is at fault |
| \`column\`, \`value\` | the column and its value; only where they are known |
| \`body\` | the start of the service's answer |

The preview of a dry run has the same \`errors\`. The reasons in the summary, its file and the page have the \`code\` too. So do the errors of
[the library](library.md#errors). [The exit code](command-line.md#exit-codes) says how a whole run ended.

In the tables, ‹name› stands for what a message names: in the library it is \`error.params.name\`.
`

const sections = {
  rows: [
    'Rows',
    'In `errors` of a row. A message follows the name of the column. Without other advice: fix the rows ([rejects](rejects.md)) or the [mapping](mapping.md).',
  ],
  files: [
    'Mapping, settings file and plan',
    'Each is reported with file, line and column, all of a file at once. In the library: `error.params.faults[].problem.code` of `file_faults`.',
  ],
  usage: [
    'Usage',
    'The command cannot start, and nothing was sent: exit code 2, `UsageError` in the library.',
  ],
  sources: ['Sources', 'Exit code 2 before the first call, else 3; `SourceError` in the library.'],
  log: ['Result log', 'Exit code 3, `LogError` in the library.'],
  lock: ['Lock of the result log', 'Exit code 4, `LockError` in the library.'],
  stops: [
    'Why a run stopped',
    '`stop_reason` in the [summary file](nightly.md), `stopped.reason` in the library. The exit code is 3, or that of the signal.',
  ],
  expectations: [
    'What does not hold as expected',
    '`unmet` in the [summary file](nightly.md#expectations) and in the summary of the library. The exit code is 1.',
  ],
}

const blank = name => `‹${name}›`

/** Parameters of messages that choose among forms, or compute what they show: the usual form is shown. */
const examples = {
  approval_differs: { differences: [] },
  open_questions: { questions: [] },
  bad_bytes: { guess: blank('guess') },
  bad_json: { wanted: 'value' },
  bad_lookup_row: { column: blank('column') },
  bad_token: { file: blank('file') },
  bad_workbook: { fault: 'xml' },
  conflict: { differs: [blank('differs')] },
  empty_sheet: { others: [blank('others')] },
  empty_token: { file: blank('file') },
  file_faults: {
    faults: [
      { file: blank('file'), line: blank('line'), column: blank('column'), problem: blank('problem') },
    ],
  },
  lock: { problem: blank('problem') },
  log: { problem: blank('problem') },
  misread_header: { delimiter: blank('delimiter'), encoding: blank('encoding') },
  missing_command: { commands: [blank('commands')] },
  no_file_in_zip: { files: [blank('files')] },
  named_column_gone: { columns: [blank('columns')] },
  no_one_list: { lists: [{ path: blank('path'), items: blank('items') }] },
  no_row_known: { columns: [blank('columns')] },
  not_answering: { last: blank('last') },
  not_in_doubt: { state: 'settled' },
  record_taken: { row: { source: blank('source'), row: blank('row') } },
  rejects_extension: { format: blank('format') },
  rows_respelled: { change: 'number', columns: [blank('columns')] },
  sheet_not_found: { sheets: [blank('sheets')] },
  source: { problem: {} },
  stream_in_plan: { part: 'source' },
  unauthorized: { httpStatus: 401 },
  unknown_line: { status: blank('status') },
  unreadable_zip: { why: 'encrypted' },
  unsupported_source: { looksLike: 'zip' },
  workbook_in_stream: { source: blank('source'), isPacked: true },
  wrong_type: { hint: blank('hint') },
}

function row(code, entry, explain) {
  const [meaning = '', fix = ''] = explain(entry, blank, examples[code])
  const cells = [`\`${code}\``, meaning.split('\n')[0], fix].map(cell => cell.replaceAll('|', '\\|'))
  return `| ${cells.join(' | ')} |\n`
}
