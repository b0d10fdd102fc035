import { migrationFiles } from '../support/migration.ts'

/** A row of a source, and what has to become of it. */
export interface SourceRow {
  readonly row: number
  /** By which the service knows it; unique, but for rows that are equal. */
  readonly name: string
  readonly due: 'record' | 'invalid' | 'refused' | 'duplicate'
  /** The name of a row whose record it names: while that one is in doubt, this one cannot be mapped. */
  readonly needs?: string
}

/** A result log, and the rows of its source. */
export interface ImportedLog {
  readonly log: string
  readonly rows: readonly SourceRow[]
  /** Rows in doubt are sent again, for the service recognizes them. */
  readonly resends: boolean
}

/** A command that meets every fault. */
export interface Scenario {
  readonly name: string
  readonly files: Readonly<Record<string, string>>
  readonly words: readonly string[]
  readonly logs: readonly ImportedLog[]
  /** A run before it was killed while two calls hung: its log has a row in doubt, and its `.inflight` two calls. */
  readonly isResumed?: boolean
  /** What was damaged before: in each file a text, and what stands there instead. */
  readonly damage?: Readonly<Record<string, readonly [string, string]>>
  /** Commands that came to their end before. */
  readonly before?: readonly (readonly string[])[]
  /** The import that comes before or after a command which is none itself. */
  readonly import?: readonly string[]
  /** The import before, if it is another one. */
  readonly importBefore?: readonly string[]
  /** The calls of the system itself go wrong as well. */
  readonly isTraced?: boolean
  /** A second time the command may find that it was done before, and end with 2. */
  readonly isOnce?: boolean
  /** The names of rows that the command forgets: each gets a second record. */
  readonly forgets?: readonly string[]
  /** The names of rows whose records, which a person named by mistake, the command takes back. */
  readonly takesBack?: readonly string[]
  /** The path of the service to which the command moves the log. */
  readonly movesTo?: string
}

/** What the service does with a call for a name is told by its first word; see service.ts. */
const names = ['One', '', 'Three', 'Refused', 'Lost', 'Busy', 'Hangs', 'Hangs for good', 'Nine', 'Ten']

const dueOf = (name: string): SourceRow['due'] =>
  name === '' ? 'invalid' : name === 'Refused' ? 'refused' : 'record'

const rowsOf = (some: readonly string[]): SourceRow[] =>
  some.map((name, at) => ({ row: at + 1, name, due: dueOf(name) }))

const withDuplicate: SourceRow[] = [
  ...rowsOf(names),
  { row: names.length + 1, name: 'One again', due: 'duplicate' },
]

const taskBody = 'record: task\nbody: { name: { from: Name, required: true } }\n'
const contactBody = `record: contact
key: Email
body:
  name: { from: Name, required: true }
  emails: [{ email: { from: Email, as: email, required: true } }]
`
const cells = (key: (at: number) => string) => names.map((name, at) => `${key(at)},${name}\n`).join('')

const keyedTasks = {
  files: { 'rows.csv': `Id,Name\n${cells(at => `${at}`)}0,One again\n`, 'map.yaml': `${taskBody}key: Id\n` },
  logs: [{ log: 'results.ndjson', rows: withDuplicate, resends: false }],
}
const equalTasks = {
  files: {
    'rows.csv': `Note,Name\n${cells(() => '')},Ten\n`,
    'map.yaml': taskBody,
  },
  logs: [{ log: 'results.ndjson', rows: rowsOf([...names, 'Ten']), resends: false }],
}
const contacts = (resends: boolean) => ({
  files: {
    'rows.csv': `Email,Name\n${cells(at => `p${at}@example.com`)}p0@example.com,One again\n`,
    'map.yaml': `${contactBody}use_created: ${resends}\n`,
  },
  logs: [{ log: 'results.ndjson', rows: withDuplicate, resends }],
})
const goodNames = ['One', 'Two', 'Three', 'Four']
const goodTasks = {
  files: {
    'rows.csv': `Id,Name\n${goodNames.map((name, at) => `${at},${name}\n`).join('')}`,
    'map.yaml': `${taskBody}key: Id\n`,
  },
  logs: [{ log: 'results.ndjson', rows: rowsOf(goodNames), resends: false }],
}

const importWords = ['import', 'rows.csv', '-m', 'map.yaml', '-o', 'results.ndjson', '-c', '2']
const endFiles = ['--rejects', 'rejects.csv', '--summary', 'summary.json', '--metrics', 'rowlift.prom']
const words = [...importWords, ...endFiles]
const withPage = [...words, '--report', 'page.html']

const fewNames = ['One', 'Lost']
/** Small enough for `npm test`. */
const fewTasks: Scenario = {
  name: 'few-tasks',
  files: {
    ...goodTasks.files,
    'rows.csv': `Id,Name\n${fewNames.map((name, at) => `${at},${name}\n`).join('')}`,
  },
  logs: [{ log: 'results.ndjson', rows: rowsOf(fewNames), resends: false }],
  words: importWords,
}

const imports: Scenario[] = [
  { name: 'tasks', ...keyedTasks, words, isTraced: true },
  { name: 'tasks-without-key', ...equalTasks, words },
  { name: 'contacts', ...contacts(true), words },
  { name: 'contacts-once', ...contacts(false), words },
]

const log = 'results.ndjson'
const ofLog = { ...keyedTasks, isResumed: true, import: words }

const resolveLost = ['resolve', log, '--key', '1']
/** A person named a wrong record for the row that was lost. */
const saidWrong = {
  ...fewTasks,
  before: [importWords, [...resolveLost, '--record-id', '9d2f0000-0000-4000-8000-000000000bad']],
  import: importWords,
}

const planFiles = {
  'o.csv': migrationFiles['o.csv'],
  'o.yaml': migrationFiles['o.yaml'],
  'p.csv': migrationFiles['p.csv'],
  'p.yaml': migrationFiles['p.yaml'],
  'plan.yaml': `concurrency: 2
summary: summary.json
report: page.html
steps:
  people: { source: p.csv, mapping: p.yaml }
  organizations: { source: o.csv, mapping: o.yaml }
`,
}

const people: SourceRow[] = [
  { row: 1, name: 'Ada', due: 'record', needs: 'Acme' },
  { row: 2, name: 'Bob', due: 'record', needs: 'Bell' },
  { row: 3, name: 'Cy', due: 'record' },
]

/** Every command that writes, each in a folder as it may find one. */
export const scenarios: readonly Scenario[] = [
  fewTasks,
  { name: 'all-good', ...goodTasks, words: withPage },
  ...imports,
  ...imports.map(each => ({ ...each, name: `${each.name}-resumed`, isResumed: true })),
  {
    name: 'respelled',
    ...keyedTasks,
    files: { ...keyedTasks.files, 'new.csv': `Id,Name\n${cells(at => `00${at}`)}000,One again\n` },
    isResumed: true,
    importBefore: words,
    words: [...words.with(1, 'new.csv'), '--respelled', 'same'],
  },
  { name: 'resolve-all', ...ofLog, words: ['resolve', log, '--all', '--not-created'] },
  {
    name: 'resolve-one',
    ...ofLog,
    words: ['resolve', log, '--key', '4', '--record-id', 'LOST'],
    isOnce: true,
  },
  { ...saidWrong, name: 'resolve-replace', words: [...resolveLost, '--record-id', 'LOST', '--replace'] },
  {
    ...saidWrong,
    name: 'resolve-replace-gone',
    words: [...resolveLost, '--not-created', '--replace'],
    takesBack: ['Lost'],
  },
  {
    name: 'repair',
    ...ofLog,
    words: ['log', log, '--repair'],
    damage: {
      [log]: ['"status":"created"', '"status":"c..a..d"'],
      [`${log}.inflight`]: ['"Hangs for good"', '"H.ngs f.r good"'],
    },
  },
  {
    name: 'forget',
    ...ofLog,
    files: { ...keyedTasks.files, 'keys.txt': '0\n2\n4\n' },
    words: ['log', log, '--forget', '--keys', 'keys.txt', '--yes'],
    forgets: ['One', 'Three'],
  },
  {
    name: 'rekey',
    ...ofLog,
    files: { ...keyedTasks.files, 'new.yaml': `${taskBody}key: [[Nr, Id]]\n` },
    words: ['log', log, '--rekey', 'new.yaml', 'rows.csv'],
    import: words.map(word => (word === 'map.yaml' ? 'new.yaml' : word)),
    importBefore: words,
  },
  { name: 'move', ...ofLog, words: ['log', log, '--moved-to', 'MOVED', '--yes'], movesTo: '/moved' },
  {
    name: 'plan',
    files: planFiles,
    words: ['import', '--plan', 'plan.yaml'],
    logs: [
      { log: 'organizations.results.ndjson', rows: rowsOf(['Acme', 'Bell']), resends: false },
      { log: 'people.results.ndjson', rows: people, resends: false },
    ],
  },
]
