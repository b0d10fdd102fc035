import { parse } from 'yaml'
import { compileMapping } from '../../document.ts'
import type { DistinctValues } from '../columns/distinct-values.ts'
import type { Found } from '../columns/survey.ts'
import { headerWords, vocabulary, wordList } from '../columns/words.ts'

/** A file among several, with what its draft says of it. */
export interface Drafted {
  readonly step: string
  /** Relative to the plan. */
  readonly path: string
  readonly found: Found
  readonly values: ReadonlyMap<string, DistinctValues>
  /** A table of users is no import; `mixed` are people and organizations. */
  readonly kind: 'organization' | 'mixed' | 'person' | 'task' | 'users'
  readonly key: string | undefined
  /** The only column of the name. */
  readonly name: string | undefined
  readonly unmapped: readonly string[]
  /** Each value of this column is a record. */
  readonly distinct?: string
  /** Others refer to its rows as to organizations, though the file itself does not say so. */
  readonly isOfOrganizations?: boolean
}

export function draftedFile(
  file: Pick<Drafted, 'step' | 'path' | 'found' | 'values'>,
  text: string,
): Drafted {
  const names = file.found.columns.map(({ name }) => name)
  const { record, key = [], body } = parse(text)
  const keys: readonly (string | string[])[] = [key].flat()
  const mapping = compileMapping('', text, '')
  mapping.settleColumns([names]) // a mapped column may be in other letters
  const isPlain = body.record_sub_type === 'organization' || body.record_sub_type === 'person'
  return {
    ...file,
    kind: record === 'task' ? record : isPlain ? body.record_sub_type : 'mixed',
    key: keys.length === 1 ? keys.flat().find(name => names.includes(name)) : undefined,
    name: [body.name?.from].flat().find(name => names.includes(name)),
    // The address of a contact may name its record, too.
    unmapped: [...mapping.columnFacts([names]).unused, ...[body.contact_email?.from ?? []].flat()],
  }
}

const companyNames = new Set(wordList(vocabulary.contact.company))

/** The organizations that people name again and again, as a file of their own. */
export function organizationsIn(people: Drafted): Drafted | undefined {
  const { found, values, kind, unmapped } = people
  const column = found.columns.find(
    ({ name, words, isList, fits, filled }) =>
      companyNames.has(words) &&
      unmapped.includes(name) &&
      values.get(name)?.repeats &&
      !isList &&
      fits.number.count < filled / 2,
  )
  if (column === undefined || kind !== 'person') return undefined
  const { name } = column
  return {
    ...people,
    kind: 'organization',
    key: undefined,
    name,
    distinct: name,
    found: { ...found, columns: [column] },
  }
}

/** A file with whole names is one of organizations, if others refer to it so. */
export const asOrganizations = (file: Drafted): Drafted | undefined =>
  file.kind === 'person' && file.name !== undefined
    ? { ...file, kind: 'organization', isOfOrganizations: true }
    : undefined

/** A file with the numbers of users is a table of them, if others refer to it. */
export function usersIn(file: Drafted): Drafted | undefined {
  const isOfUsers = /\busers?\b/.test(headerWords(file.step))
  const id = file.found.columns.find(({ name, words, isDistinct }) => {
    const isCalledSo = /^user ?id$/.test(words) || (isOfUsers && words === 'id')
    return isCalledSo && isDistinct && file.values.get(name)?.texts.every(text => /^\d{1,15}$/.test(text))
  })
  return id && { ...file, kind: 'users', key: id.name }
}
