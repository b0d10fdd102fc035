import { present } from '../../model/values.ts'
import type { Column } from './column.ts'
import type { ContactFacts } from './contact-columns.ts'
import { plainest } from './match.ts'

/** The columns of a person's names. */
export interface PartedNames {
  readonly first: Column | undefined
  readonly last: Column | undefined
  readonly whole: Column | undefined
}

/** Beside a first name `Name` is the last name, and beside a last name the first, unless it holds the other as well. */
export function partedNames({ matches, facts }: Pick<ContactFacts, 'matches' | 'facts'>): PartedNames {
  const [first, last, whole] = [
    plainest(matches, 'first'),
    plainest(matches, 'last'),
    plainest(matches, 'name'),
  ]
  if (whole === undefined || (first === undefined) === (last === undefined)) return { first, last, whole }
  const part = first ?? last
  const told = facts.kept.flatMap(row => {
    const [all, one] = [present(row.value(whole.name)), part && present(row.value(part.name))]
    return typeof all === 'string' && typeof one === 'string' ? [all.includes(one)] : []
  })
  if (told.filter(Boolean).length > told.length / 2) return { first: undefined, last: undefined, whole }
  return { first: first ?? whole, last: last ?? whole, whole: undefined }
}
