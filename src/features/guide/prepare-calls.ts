import type { RouteName } from './api.ts'
import type { Guide } from './guide.ts'
import { CallError, type Handlers } from './server.ts'

const names = [
  ...(['source', 'read', 'kinds', 'record', 'columns', 'column', 'questions', 'answer'] as const),
  ...(['worksheets', 'fill', 'mapping', 'save', 'undo'] as const),
] satisfies RouteName[]

/** The calls of the steps before the check: file, kind, columns, questions. */
export const prepareCalls = (_guide: Guide): Pick<Handlers, (typeof names)[number]> =>
  Object.fromEntries(
    names.map(name => [name, () => Promise.reject(new CallError('bad_call', `${name} is not built yet`))]),
  ) as never
