import type { RouteName } from './api.ts'
import { chooseColumn } from './column-choice.ts'
import { columnsView } from './columns.ts'
import type { Guide } from './guide.ts'
import { kindsView, redraft } from './kinds.ts'
import { answer, questionsView } from './questions.ts'
import { changeReading } from './reading.ts'
import type { Handlers } from './server.ts'
import { sourceView } from './source-view.ts'
import { fillIn, worksheetViews } from './worksheet-view.ts'

type Prepares = Extract<
  RouteName,
  | ('source' | 'read' | 'kinds' | 'record' | 'columns' | 'column' | 'questions' | 'answer')
  | ('worksheets' | 'fill' | 'mapping' | 'save' | 'undo')
>

/** The calls of the steps before the check: file, kind, columns, questions. */
export const prepareCalls = (guide: Guide): Pick<Handlers, Prepares> => ({
  source: ({ file }) => sourceView(file, guide),
  read: ({ file, version, change }) => changeReading(file, version, change, guide),
  kinds: ({ file }) => kindsView(file, guide),
  async record({ file, record }) {
    const { version } = await guide.mappings.read(file)
    return redraft(file, version, record, guide)
  },
  columns: ({ file }) => columnsView(file, guide),
  column: ({ file, version, column, choice }) => chooseColumn(file, version, column, choice, guide),
  questions: ({ file }) => questionsView(file, guide),
  answer: ({ file, version, id, choice }) => answer(file, version, id, choice, guide),
  worksheets: async ({ file }) => ({ worksheets: await worksheetViews(file, guide) }),
  async fill({ file, worksheet, row, value }) {
    await fillIn(file, worksheet, row, value, guide)
    return {}
  },
  mapping: ({ file }) => guide.mappings.view(file),
  save: ({ file, version, text }) => guide.mappings.edit(file, version, () => text),
  undo: ({ file, version }) => guide.mappings.undo(file, version),
})
