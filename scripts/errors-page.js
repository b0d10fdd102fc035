// docs/usage/errors.md, made of the catalogue of sentences: `npm run schema` writes it.

/** The page, from the codes of each group. `explain(group, code, textOf, known)` gives what a code means and how to fix it. */
export const errorsPage = (catalogues, explain) => `${intro}
${Object.entries(sections)
  .map(([group, [title, lead]]) => {
    const rows = Object.keys(catalogues[group]).map(code => row(group, code, explain))
    return `## ${title}\n\n${lead}\n\n| code | meaning | what to do |\n|---|---|---|\n${rows.join('')}`
  })
  .join('\n')}`

const intro = `# Errors and their codes

<!-- Made by \`npm run schema\` from src/report/words/. -->

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

/** Parameters of messages that have several forms: the usual one is shown. */
const known = {
  bad_values: { faults: [[blank('option'), blank('reason')]] },
  stream_in_plan: { part: 'source' },
  unsupported_source: { looksLike: 'zip' },
  bad_json: { wanted: 'value' },
  no_one_list: { rows: undefined, lists: [{ path: blank('path'), items: blank('items') }] },
  bad_workbook: { fault: 'xml' },
  unreadable_zip: { why: 'encrypted' },
  no_file_in_zip: { why: 'several' },
  unauthorized: { httpStatus: 401, byRule: false },
}

function row(group, code, explain) {
  const [meaning, fix = ''] = explain(group, code, blank, known[code])
  const cells = [`\`${code}\``, meaning.split('\n')[0], fix].map(cell => cell.replaceAll('|', '\\|'))
  return `| ${cells.join(' | ')} |\n`
}
