import type { RecordType } from '../../records/kinds.ts'
import { type ChoiceOf, chooseColumn } from './column-choice.ts'
import { columnsView } from './columns.ts'
import type { Guide } from './guide.ts'
import { chooseKind, kindsView } from './kinds.ts'
import { answer, questionsView } from './questions.ts'
import { changeReading, type ReadChange } from './reading.ts'
import { sourceView } from './source-view.ts'
import type { Of, Seen } from './views.ts'
import { type CellOf, fillIn, worksheetViews } from './worksheet-view.ts'

/** The calls of the steps before the check: file, kind, columns, questions. What they answer follows from their functions. */
export const prepareCalls = (guide: Guide) => ({
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
  mapping: ({ file }: Of) => guide.mappings.view(file),
  save: ({ file, version, text }: Seen & { readonly text: string }) =>
    guide.mappings.edit(file, version, () => text),
  undo: ({ file, version }: Seen) => guide.mappings.undo(file, version),
})
