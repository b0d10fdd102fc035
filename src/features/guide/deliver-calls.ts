import type { RouteName } from './api.ts'
import type { Guide } from './guide.ts'
import { CallError, type Handlers } from './server.ts'

const names = [
  ...(['check', 'try', 'run', 'stop', 'rows', 'correct', 'forget', 'approve', 'service', 'probe'] as const),
  ...(['after', 'settle', 'open'] as const),
] satisfies RouteName[]

/** The calls of the steps from the check on: rows, trial, run, and what is left to do. */
export const deliverCalls = (_guide: Guide): Pick<Handlers, (typeof names)[number]> =>
  Object.fromEntries(
    names.map(name => [name, () => Promise.reject(new CallError('bad_call', `${name} is not built yet`))]),
  ) as never
