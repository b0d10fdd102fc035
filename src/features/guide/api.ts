// The calls of the page and their answers: POST /api/NAME with a JSON object, which is answered by another. Names of files are relative
// to the folder of the guide; `version` is the SHA-256 of the mapping's text that was seen.
import { afterView, probeService, settle } from './after.ts'
import { agree } from './approvals.ts'
import { type ColumnView, chooseColumn, columnsView } from './columns.ts'
import { type Guide, stateOf } from './guide.ts'
import type { JobKind } from './job-state.ts'
import type { CorrectionOf, RowsOf } from './jobs.ts'
import { chooseKind, kindsView } from './kinds.ts'
import { openFile } from './open-page.ts'
import { answer, fillIn, questionsView, worksheetViews } from './questions.ts'
import { changeReading, sourceView } from './reading.ts'
import type { Of, Seen } from './server.ts'
import type { ServiceChange } from './service.ts'
import { forget } from './trial.ts'

const starting =
  (kind: JobKind) =>
  async ({ file }: Of, { jobs, known }: Guide) => {
    await jobs[kind](file)
    known.release()
    return {}
  }

const whenIdle =
  <Input, Answer>(call: (input: Input, guide: Guide) => Answer) =>
  (input: Input, guide: Guide) => {
    guide.jobs.checkIdle()
    return call(input, guide)
  }

export const calls = {
  state: (_: object, guide: Guide) => stateOf(guide),
  /** Makes an address for another browser, for one use. */
  invite: async (_: object, { invite }: { readonly invite: () => string }) => ({ url: invite() }),
  source: sourceView,
  read: changeReading,
  kinds: kindsView,
  record: whenIdle(chooseKind),
  columns: columnsView,
  column: chooseColumn,
  questions: questionsView,
  answer,
  worksheets: worksheetViews,
  fill: fillIn,
  mapping: ({ file }: Of, { mappings }: Guide) => mappings.view(file),
  undo: ({ file, version }: Seen, { mappings }: Guide) => mappings.undo(file, version),
  // jobs know the files of the command line alone
  check: starting('check'),
  try: starting('try'),
  run: starting('run'),
  /** Lets calls in flight end, then ends the job; the same call of `run` goes on from there. */
  async stop(_: object, { jobs }: Guide) {
    jobs.stop()
    return {}
  },
  rows: (input: RowsOf, { jobs }: Guide) => jobs.rows(input),
  /** Puts a corrected row into the file of corrections, and checks it. */
  correct: async (input: CorrectionOf, { jobs }: Guide) => ({ row: await jobs.correct(input) }),
  forget: whenIdle(forget),
  approve: agree,
  elsewhere: (of: Of, { jobs }: Guide) => jobs.elsewhere(of),
  service: whenIdle(async (input: ServiceChange, guide: Guide) => {
    guide.service.change(input)
    return stateOf(guide)
  }),
  probe: whenIdle(probeService),
  after: afterView,
  settle: whenIdle(settle),
  /** Opens the page that the last run wrote, in the browser. */
  async open({ file }: Of & { readonly name: string }, { service }: Guide) {
    openFile(service.namesOf(file).report)
    return {}
  },
}

type Calls = typeof calls
export type Routes = {
  [Name in keyof Calls]: { in: Parameters<Calls[Name]>[0]; out: Awaited<ReturnType<Calls[Name]>> }
}

export type RouteName = keyof Routes
export type ColumnSettings = Partial<ColumnView['settings']>
export type FieldView = Routes['columns']['out']['fields'][number]
export type QuestionView = Routes['questions']['out']['questions'][number]
export type WorksheetView = Routes['worksheets']['out']['worksheets'][number]
export type State = Routes['state']['out']
export type FileState = State['files'][number]
export type AfterView = Routes['after']['out']
export type RowView = Routes['correct']['out']['row']
export type JobState = NonNullable<State['job']>
export type { ColumnChoice, ColumnView } from './columns.ts'
export type { GridLine, ReadChange } from './reading.ts'
export type { RowFilter } from './row-index.ts'
export type { RecordView } from './samples.ts'
