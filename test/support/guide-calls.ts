import { calls } from '../../src/features/guide/api.ts'
import type { Guide } from '../../src/features/guide/guide.ts'

type Calls = typeof calls
type Bound = { [Name in keyof Calls]: (input: Parameters<Calls[Name]>[0]) => ReturnType<Calls[Name]> }

/** The calls of the page for a guide without a server. */
export function callsOf(guide: Guide): Bound {
  const context = { ...guide, invite: () => '' }
  const bound = Object.entries(calls).map(([name, call]) => [
    name,
    (input: never): unknown => call(input, context),
  ])
  return Object.fromEntries(bound)
}
