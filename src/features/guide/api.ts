// The calls of the page and their answers: POST /api/NAME with a JSON object, which is answered by another. Types alone: they follow from
// the functions in prepare-calls.ts and deliver-calls.ts. Names of files are relative to the folder of the guide; `version` is the
// SHA-256 of the mapping's text that was seen.
import type { ColumnView } from './columns.ts'
import type { deliverCalls } from './deliver-calls.ts'
import type { prepareCalls } from './prepare-calls.ts'
import type { stateOf } from './state.ts'

interface Calls extends ReturnType<typeof prepareCalls>, ReturnType<typeof deliverCalls> {
  state(): ReturnType<typeof stateOf>
  /** A new address for another browser, for one use. */
  invite(): Promise<{ readonly url: string }>
}

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
export type { ColumnChoice } from './column-choice.ts'
export type { ColumnView } from './columns.ts'
export type { ReadChange } from './reading.ts'
export type { GridLine } from './source-view.ts'
export type * from './views.ts'
