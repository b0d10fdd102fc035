import { fileProblem } from '../../model/problem.ts'
import { unreachable } from '../../model/values.ts'
import type { Workshop } from '../columns.ts'
import { type DocumentPath, nearest } from '../located-yaml.ts'
import type { Rule } from '../rule.ts'
import { onText, type Transform } from '../transforms/transform.ts'
import type { Found, Lookups } from './lookup.ts'

/** A value that is not known before another row of the import has its end. */
export class Pending {
  readonly on: number
  constructor(on: number) {
    this.on = on
  }
}

/** The step of a rule that replaces a value by what its lookup has under it. */
export function lookedUp({ lookup, missing = 'invalid' }: Rule, lookups: Lookups): Transform[] {
  return lookup === undefined ? [] : [onText(text => resolved(lookups.find(lookup, text), missing))]
}

/** What a rule makes of what was found: a value, nothing, a Problem or a Pending. */
export function resolved(found: Found, missing: 'invalid' | 'omit'): unknown {
  switch (found.is) {
    case 'found':
      return found.value
    case 'missing':
      return missing === 'omit' ? undefined : found.problem
    case 'unusable':
      return found.problem
    case 'waits':
      return new Pending(found.on)
    default:
      return unreachable(found)
  }
}

/** Notes a fault where a rule names a lookup that the mapping does not have. */
export function checkLookup({ lookup }: Rule, at: DocumentPath, { yaml, lookupNames }: Workshop): void {
  if (lookup !== undefined && !lookupNames.includes(lookup))
    yaml.fault(
      [...at, 'lookup'],
      fileProblem('unknown_lookup', { name: lookup, suggestion: nearest(lookup, lookupNames) }),
    )
}
