// The calls of the page and their answers: POST /api/NAME with a JSON object, which is answered by another. Names of files are relative
// to the folder of the guide; `version` is the SHA-256 of the mapping's text that was seen.
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { ulid } from 'ulid'
import { ownerOnly } from '../../platform/replace-file.ts'
import type { RecordType } from '../../records/kinds.ts'
import { logCommand } from '../log-tools/command.ts'
import { afterView, type DoubtOf, settle } from './after.ts'
import { agree } from './approvals.ts'
import { type ChoiceOf, chooseColumn } from './column-choice.ts'
import { type ColumnView, columnsView } from './columns.ts'
import type { Guide } from './guide.ts'
import type { CorrectionOf, RowsOf } from './jobs.ts'
import { chooseKind, kindsView } from './kinds.ts'
import { openFile } from './open-page.ts'
import { probeService } from './probe-service.ts'
import { answer, questionsView } from './questions.ts'
import { changeReading, type ReadChange } from './reading.ts'
import { linesOf } from './run-command.ts'
import { CallError } from './server.ts'
import type { ServiceChange } from './service.ts'
import { sourceView } from './source-view.ts'
import { stateOf } from './state.ts'
import type { Of, Seen } from './views.ts'
import { type CellOf, fillIn, worksheetViews } from './worksheet-view.ts'

/** `invite` makes an address for another browser, for one use. */
export function callsOf(guide: Guide, invite: () => string) {
  const { jobs, known, service, context, mappings } = guide
  const starting = (start: (file: string) => Promise<void> | void) => async (input: Of) => {
    await start(input.file)
    known.release()
    return {}
  }
  return {
    state: () => stateOf(guide),
    invite: async () => ({ url: invite() }),
    source: ({ file }: Of) => sourceView(file, guide),
    read: ({ change, ...seen }: Seen & { readonly change: ReadChange }) => changeReading(seen, change, guide),
    kinds: ({ file }: Of) => kindsView(file, guide),
    record: ({ file, record }: Of & { readonly record: RecordType | 'both' }) =>
      chooseKind(file, record, guide),
    columns: ({ file }: Of) => columnsView(file, guide),
    column: (input: ChoiceOf) => chooseColumn(input, guide),
    questions: ({ file }: Of) => questionsView(file, guide),
    answer: ({ id, choice, ...seen }: Seen & { readonly id: string; readonly choice: string }) =>
      answer(seen, id, choice, guide),
    worksheets: async ({ file }: Of) => ({ worksheets: await worksheetViews(file, guide) }),
    fill: (input: CellOf) => fillIn(input, guide),
    mapping: ({ file }: Of) => mappings.view(file),
    undo: ({ file, version }: Seen) => mappings.undo(file, version),
    // jobs know the files of the command line alone
    check: starting(jobs.check),
    try: starting(jobs.try),
    run: starting(jobs.run),
    /** Lets calls in flight end, then ends the job; the same call of `run` goes on from there. */
    async stop() {
      jobs.stop()
      return {}
    },
    rows: async (input: RowsOf) => jobs.rows(input),
    /** Puts a corrected row into the file of corrections, and checks it. */
    correct: async (input: CorrectionOf) => ({ row: await jobs.correct(input) }),
    /** Takes records out of the log after they were deleted in the service. */
    async forget({ file, keys }: Of & { readonly keys: readonly string[] }) {
      jobs.checkIdle()
      const tried = jobs.triedRows(file).map(({ key }) => key)
      if (!keys.every(key => tried.includes(key)))
        throw new CallError('bad_call', 'only rows of the last trial can be forgotten here')
      const list = join(tmpdir(), `rowlift-${ulid()}`)
      const flags = { forget: true, keys: list, yes: true }
      await writeFile(list, keys.map(key => `${key}\n`).join(''), { mode: ownerOnly, flag: 'wx' })
      const forgetting = linesOf(logCommand, [service.namesOf(file).log], flags, context)
      await forgetting.finally(() => rm(list))
      jobs.noteForgotten(file, new Set(keys))
      return {}
    },
    /** `by` is the name of the second person, or of the same one. */
    async approve({ file, by }: Of & { readonly by: string }) {
      await agree(service.namesOf(file), String(by), context)
      return {}
    },
    async service(input: ServiceChange) {
      jobs.checkIdle()
      const { practice } = service
      service.change(input)
      if (service.practice !== practice) jobs.forgetTrials()
      return stateOf(guide)
    },
    probe: async ({ file }: Of) => ({ lines: await probeService(guide, file) }),
    after: ({ file }: Of) => afterView(file, guide),
    settle: (input: DoubtOf) => settle(input, guide),
    /** Opens a page that a job wrote, in the browser. */
    async open({ name }: { readonly name: string }) {
      const pages = mappings.imports.map(file => service.namesOf(file).report)
      const page = pages.find(path => basename(path) === name)
      if (page === undefined) throw new CallError('outside', 'no job wrote such a page')
      openFile(page)
      return {}
    },
  }
}

type Calls = ReturnType<typeof callsOf>
export type Routes = {
  [Name in keyof Calls]: {
    in: Parameters<Calls[Name]> extends [infer Input extends object] ? Input : object
    out: Awaited<ReturnType<Calls[Name]>>
  }
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
export type { ColumnChoice } from './column-choice.ts'
export type { ColumnView } from './columns.ts'
export type { ReadChange } from './reading.ts'
export type { RowFilter } from './row-index.ts'
export type { RecordView } from './samples.ts'
export type { GridLine } from './source-view.ts'
