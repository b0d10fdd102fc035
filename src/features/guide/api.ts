// The calls of the page and their answers: POST /api/NAME with a JSON object, which is answered by another. Types alone: those of the
// steps before the check follow from the functions in prepare-calls.ts. Names of files are relative to the folder of the guide;
// `version` is the SHA-256 of the mapping's text that was seen.
import type { ColumnView } from './columns.ts'
import type { prepareCalls } from './prepare-calls.ts'
import type { DeliverRoutes, State } from './views.ts'

type Prepares = ReturnType<typeof prepareCalls>

type PrepareRoutes = {
  [Name in keyof Prepares]: { in: Parameters<Prepares[Name]>[0]; out: Awaited<ReturnType<Prepares[Name]>> }
}

export interface Routes extends PrepareRoutes, DeliverRoutes {
  state: { in: object; out: State }
  /** A new address for another browser, for one use. */
  invite: { in: object; out: { readonly url: string } }
}

export type RouteName = keyof Routes
export type ColumnSettings = Partial<ColumnView['settings']>
export type FieldView = Routes['columns']['out']['fields'][number]
export type QuestionView = Routes['questions']['out']['questions'][number]
export type WorksheetView = Routes['worksheets']['out']['worksheets'][number]
export type { ColumnChoice } from './column-choice.ts'
export type { ColumnView } from './columns.ts'
export type { ReadChange } from './reading.ts'
export type { GridLine } from './source-view.ts'
export type * from './views.ts'
