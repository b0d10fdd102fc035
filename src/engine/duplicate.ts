import type { Duplicate } from '../model/outcome.ts'
import { problem } from '../model/problem.ts'
import type { Body, RowPlace } from '../model/row.ts'
import type { Past } from '../model/store.ts'
import { atPath, differingPaths } from '../model/values.ts'
import type { WaitingRow } from './waiting-rows.ts'

const mostShown = 3

/** A row with the key of another, which has this body. It is a conflict if the bodies differ; without that body they may. */
export function duplicateOf(
  { identity, before, mapped }: WaitingRow,
  sameAs: RowPlace,
  body: Body | undefined,
  past: Past,
): Duplicate {
  const isLogged = past.takeLoggedDuplicate(identity.key, identity.hash)
  const duplicate = { identity, before, status: 'duplicate', sameAs, isLogged } as const
  const isValid = 'body' in mapped
  const differs = isValid
    ? differingPaths(body, mapped.body).filter(path => path !== '')
    : mapped.errors.flatMap(({ path }) => path || [])
  if (body !== undefined && differs.length === 0) return duplicate
  /** The values of the other row and of this one, for people: `name: "Ada" → "Bob"`. */
  const shown = (path: string) =>
    `${path}: ${[body, isValid && mapped.body].map(each => JSON.stringify(atPath(each, path)) ?? 'none').join(' → ')}`
  const value = body && isValid ? differs.slice(0, mostShown).map(shown).join(', ') : undefined
  const params = { ...sameAs, differs: differs.length > 0 ? differs : undefined }
  return { ...duplicate, differs, errors: [{ path: '', value, ...problem('conflict', params) }] }
}
