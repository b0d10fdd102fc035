import { profileMarkup } from '../../src/features/profile/profile.ts'
import { samplesMarkup } from '../../src/features/profile/samples.ts'
import type { DryRunPart, LogPart, PageFacts, Part, RunFacts } from '../../src/result/facts.ts'
import type { AttentionRow, ReasonFacts } from '../../src/result/reasons.ts'
import { newTally, resultOf } from './results.ts'

const start = Date.parse('2026-11-21T08:12:07.000Z')
const at = (ms: number) => new Date(start + ms).toISOString()
const list = <T>(count: number, of: (at: number) => T): T[] => Array.from({ length: count }, (_, n) => of(n))

export const pageFacts = (...parts: readonly Part[]): PageFacts => ({
  title: parts.length === 1 && parts[0]?.type === 'log' ? parts[0].log : 'migration.yaml',
  createdAt: at(1_200_000),
  version: '0.1.0',
  parts,
  notStarted: [],
  next: parts.every(({ type }) => type === 'dry_run') ? nextOfDryRun : nextOfLog,
})

const nextOfLog = [
  {
    advice: 'Fix the cause, then run the same command again; it continues where this run ended',
    args: [
      ...['import', 'contacts-2026-11.csv', '-m', 'config/contacts.yaml'],
      ...['--base-url', 'https://api.example.com', '--organization-id', '42'],
    ],
  },
]
const nextOfDryRun = [
  {
    advice: 'Or import the good rows, five rows first',
    args: [
      ...['import', 'contacts-2026-11.csv', 'contacts-2026-12.csv', '-m', 'config/contacts.yaml'],
      ...['--base-url', 'URL', '--organization-id', 'N', '--limit', '5'],
    ],
  },
]

const row = (n: number, changes: Partial<AttentionRow> = {}): AttentionRow => ({
  source: 'contacts-2026-11.csv',
  row: n,
  line: n + 1,
  key: `person${n}@example.com`,
  status: 'invalid',
  column: 'Email',
  value: `person${n}@example,com`,
  messages: ['Email is not an e-mail address'],
  answer: undefined,
  at: at(n * 100),
  recognizedBy: [],
  ...changes,
})

const failed = (n: number): AttentionRow =>
  row(n, {
    status: 'failed',
    column: undefined,
    value: undefined,
    messages: ['the service answered 422'],
    answer: `{"error":"parent ${n}f0c-41 does not exist","code":"parent_not_found"}`,
  })
const doubtful = (n: number): AttentionRow =>
  row(n, {
    status: 'in_doubt',
    column: undefined,
    value: undefined,
    messages: ['the connection was cut after the call had gone out (ECONNRESET)'],
    recognizedBy: [`Ada ${n} Lovelace`, `person${n}@example.com`, '+442079460991'],
  })

const reasons: ReasonFacts[] = [
  {
    status: 'invalid',
    code: 'not_email',
    rows: 14,
    known: 9,
    reason: 'Email is not an e-mail address',
    answer: undefined,
    remedy: 'Mend these cells in the source, or set otherwise: omit for the rule of Email to leave them out.',
    examples: [row(31), row(57, { value: 'n/a' }), row(120, { value: '' })],
  },
  {
    status: 'failed',
    code: 'http_error',
    rows: 7,
    known: 0,
    reason: 'the service answered 422',
    answer: '{"error":"parent … does not exist","code":"parent_not_found"}',
    remedy: 'Import the organizations first, and let the mapping look their ids up in that result log.',
    examples: [failed(204), failed(205), failed(311)],
  },
  {
    status: 'in_doubt',
    code: undefined,
    rows: 3,
    known: 0,
    reason: 'the connection was cut after the call had gone out (ECONNRESET)',
    answer: undefined,
    remedy: 'Look in the service for each, and settle it with rowlift resolve.',
    examples: [doubtful(702), doubtful(703), doubtful(704)],
  },
]

export const noRows = { created: 0, existing: 0, merged: 0, in_doubt: 0, failed: 0, invalid: 0, forgotten: 0 }

const run = (n: number, counts: Partial<RunFacts['counts']>, changes: Partial<RunFacts> = {}): RunFacts => ({
  run: `01JD${n}`,
  startedAt: at((n - 6) * 86_400_000),
  lastAt: at((n - 6) * 86_400_000 + 95_000 + n * 9_000),
  durationMs: 95_000 + n * 9_000,
  rowlift: '0.1.0',
  sources: ['contacts-2026-11.csv'],
  mappingChanged: false,
  command: undefined,
  byHand: false,
  rows: undefined,
  known: 0,
  counts: { ...noRows, duplicate: 0, ...counts },
  repeated: 0,
  throttled: 0,
  ...changes,
})

/** A log with something of everything. */
export const richLog = (changes: Partial<LogPart> = {}): LogPart => ({
  type: 'log',
  name: 'people',
  log: 'contacts.results.ndjson',
  opening: {
    run: '01JD6',
    at: at(0),
    rowlift: '0.1.0',
    base_url: 'https://api.example.com',
    organization_id: 42,
    record: 'contact',
    mapping: 'config/contacts.yaml',
    mapping_sha256: '5f1d',
    key_columns: ['Email'],
    use_created: true,
    delivery: 'at-most-once',
    sources: ['contacts-2026-11.csv'],
  },
  counts: { created: 1_043, existing: 137, merged: 0, invalid: 14, failed: 7, in_doubt: 3, forgotten: 0 },
  duplicates: 9,
  recovered: 12,
  byHand: 2,
  unclear: 0,
  runs: [
    run(1, { created: 620, existing: 80, merged: 0, invalid: 31, failed: 12, in_doubt: 4 }),
    run(2, { created: 12, existing: 3, merged: 0, invalid: 26, failed: 9, in_doubt: 1 }),
    run(3, { created: 4 }, { byHand: true, rowlift: '' }),
    run(4, { created: 110, existing: 14, merged: 0, invalid: 20, failed: 8 }, { mappingChanged: true }),
    run(5, { created: 35, existing: 2, merged: 0, invalid: 17, failed: 8 }, { repeated: 4 }),
    run(
      6,
      { created: 262, existing: 38, merged: 0, invalid: 14, failed: 7, in_doubt: 3, duplicate: 9 },
      { repeated: 61, throttled: 44 },
    ),
  ],
  earlierRuns: 2,
  reasons,
  otherReasons: 0,
  overlap: false,
  omitted: [
    {
      column: 'Assignee',
      count: 30,
      examples: [
        { source: 'contacts-2026-11.csv', row: 5, line: 6, key: 'person5@example.com', value: 'Zoë (left)' },
      ],
    },
  ],
  kept: [],
  notInAnswer: [{ path: 'custom_field_values.#.date_value', count: 112 }],
  merged: {
    count: 3,
    pairs: list(2, n => ({
      recordId: `9d2f3c1e-8a41-4c1b-9f0e-0c7d5e2a1b0${n}`,
      first: { source: 'contacts-2026-11.csv', row: 88 + n, line: 89 + n, key: `ada${n}@example.com` },
      second: {
        source: 'contacts-2026-11.csv',
        row: 412 + n,
        line: 413 + n,
        key: `a.lovelace${n}@example.com`,
      },
    })),
  },
  attention: {
    total: 24,
    known: 9,
    rows: [
      ...[702, 703, 704].map(doubtful),
      ...list(7, n => failed(204 + n)),
      ...list(14, n => row(31 + n * 13)),
    ],
  },
  lastRun: resultOf(newTally(), {
    duration_ms: 243_000,
    stopped: 'the service asks to wait 40 min; come back at 09:30',
    unmet: [
      {
        code: 'too_many_merged',
        params: {},
        message: '2 rows were merged into the record of another row, and 0 are allowed',
      },
    ],
    ...{ created: 262, existing: 38, duplicate: 9, invalid: 14, failed: 7, in_doubt: 3, forgotten: 0 },
    ...{ done: 880, left_out: 31, changed: 4, rows: 1_244 },
  }),
  ...changes,
})

const nothing = { rows: [], total: 0, known: 0 }

/** Twenty rows in one run that took no time, and nothing left to do. */
export const smallLog = (changes: Partial<LogPart> = {}): LogPart => ({
  ...richLog(),
  name: 'tasks',
  log: 'tasks.results.ndjson',
  counts: { ...noRows, created: 20 },
  duplicates: 0,
  recovered: 0,
  byHand: 0,
  runs: [run(6, { created: 20 }, { startedAt: at(0), lastAt: at(400), durationMs: 400 })],
  earlierRuns: 0,
  reasons: [],
  omitted: [],
  kept: [],
  notInAnswer: [],
  merged: { count: 0, pairs: [] },
  attention: nothing,
  lastRun: undefined,
  ...changes,
})

/** So many rows that need attention, of which the page holds five thousand. */
export const bigLog = (): LogPart =>
  richLog({
    counts: {
      created: 988_000,
      existing: 0,
      merged: 0,
      invalid: 11_000,
      failed: 900,
      in_doubt: 100,
      forgotten: 0,
    },
    attention: {
      total: 12_000,
      known: 0,
      rows: [
        ...list(100, n => doubtful(n + 1)),
        ...list(900, n => failed(n + 200)),
        ...list(4_000, n =>
          row(n + 2_000, {
            messages: ['Email is not an e-mail address', `Phone ${n} is not a phone number`],
          }),
        ),
      ],
    },
  })

const profile: Parameters<typeof profileMarkup>[0] = {
  rows: 1_213,
  columns: [
    {
      ...{
        column: 'E-mail',
        fields: ['key', 'emails.email'],
        filled: 1_198,
        distinct: 1_190,
        hasMore: false,
      },
      longest: {
        ...{ start: 'ada.lovelace@example.com', length: 24 },
        place: { source: 'contacts-2026-11.csv', line: 7 },
      },
      values: [['info@example.com', 4]],
      shapes: [['aaa.aaa@aaa.aaa', 1_100]],
    },
    {
      ...{ column: 'Fax', fields: [], filled: 12, distinct: 12, hasMore: false },
      longest: { start: '<b>', length: 3, place: { source: 'contacts-2026-12.csv', line: 9 } },
      ...{ values: [], shapes: [['<a>', 12]] },
    },
  ],
  more: 0,
}

const samples = list(5, n => ({
  ...{ source: 'contacts-2026-11.csv', row: n + 1, line: n + 2, key: `ada${n}@example.com` },
  fields: [
    {
      path: 'name',
      value: `Ada Lovelace ${n}`,
      cells: [
        { column: 'First Name', value: 'Ada' },
        { column: 'Last Name', value: `Lovelace ${n}` },
      ],
    },
    { path: 'record_sub_type', value: 'person', cells: [] },
    { path: 'designation', value: 'Analyst', cells: [{ column: 'Job Title', value: 'Analyst' }] },
  ],
  unused: [
    { column: 'Website', value: '' },
    { column: 'Notes (old)', value: 'met in London\nlikes engines' },
  ],
}))

/** A dry run; `textsOf` makes other texts of the cells that it shows. */
export const dryRun = (
  changes: Partial<DryRunPart> = {},
  textsOf = <T>(facts: T): T => facts,
): DryRunPart => ({
  type: 'dry_run',
  name: 'contacts-2026-11.csv',
  sources: ['contacts-2026-11.csv', 'contacts-2026-12.csv'],
  mapping: 'config/contacts.yaml',
  lastRun: resultOf(newTally(), {
    ...{ dry_run: true, duration_ms: 2_310 },
    ...{ valid: 1_180, invalid: 24, duplicate: 9, left_out: 31, rows: 1_244 },
    unseen_columns: ['nickname'],
    unused_columns: ['Fax', 'Spouse', 'Anniversary', 'Notes (old)'],
  }),
  samples: samplesMarkup(textsOf(samples)),
  columns: profileMarkup(textsOf(profile), 31),
  reasons: [
    ...reasons.slice(0, 1),
    {
      status: 'invalid',
      code: 'ragged',
      rows: 3,
      known: 0,
      reason:
        'has 9 cells where the header has 7; fix the line, or set source.ragged: pad if short rows are intended',
      answer: undefined,
      remedy: 'Look at these lines: a delimiter inside a cell needs quotes around the cell.',
      examples: [row(400, { column: undefined, value: undefined })],
    },
  ],
  otherReasons: 0,
  overlap: true,
  omitted: [
    {
      column: 'Assignee',
      count: 30,
      examples: [
        { source: 'contacts-2026-11.csv', row: 5, line: 6, key: 'person5@example.com', value: 'Zoë (left)' },
      ],
    },
  ],
  kept: [],
  notInAnswer: [],
  attention: { total: 24, known: 0, rows: list(24, n => row(31 + n * 13)) },
  ...changes,
})
