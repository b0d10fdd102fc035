import { parse } from 'yaml'
import { compileMapping } from '../../../mapping/document.ts'
import type { FileFacts } from '../columns/survey.ts'
import { headerWords, vocabulary, wordList } from '../columns/words.ts'
import { draftOf } from '../draft.ts'
import type { Preset } from '../preset.ts'
import { compact } from '../yaml.ts'

/** A file among several, with what its own draft says of it. */
export interface Drafted {
  readonly step: string
  /** Relative to the plan. */
  readonly path: string
  readonly found: FileFacts
  readonly preset: Preset | undefined
  /** A table of users is no import; `mixed` are people and organizations. */
  readonly kind: 'organization' | 'mixed' | 'person' | 'task' | 'users'
  readonly key: string | undefined
  /** The only column of the name. */
  readonly name: string | undefined
  readonly unmapped: readonly string[]
  /** Each value of the key is a record, and the rows hold more than that. */
  readonly isOfValues?: boolean
}

export const isImport = ({ kind }: Drafted): boolean => kind !== 'users'

export function draftedFile(file: Pick<Drafted, 'step' | 'path' | 'found' | 'preset'>): Drafted {
  const { text } = draftOf(file.found, file.preset)
  const names = file.found.columns.map(({ name }) => name)
  const oneOf = (columns: unknown) => names.find(name => [columns].flat(2).includes(name))
  const { record, key, body } = parse(text)
  const mapping = compileMapping('', text, '')
  mapping.settleColumns([names]) // a mapped column may be in other letters
  const isPlain = body.record_sub_type === 'organization' || body.record_sub_type === 'person'
  return {
    ...file,
    kind: record === 'task' ? record : isPlain ? body.record_sub_type : 'mixed',
    key: oneOf(key),
    name: oneOf(body.name?.from),
    // The address of a contact may name its record, too.
    unmapped: [...mapping.columnFacts([names]).unused, ...[body.contact_email?.from ?? []].flat()],
  }
}

const companyNames = new Set(wordList(vocabulary.contact.company))

/** The organizations that people name again and again, as a file of their own. */
export function organizationsIn({ kind, unmapped, ...people }: Drafted): Drafted | undefined {
  const column = people.found.columns.find(
    column =>
      companyNames.has(column.words) &&
      unmapped.includes(column.name) &&
      column.distinct?.repeats &&
      !column.isList &&
      column.share('number') < 0.5,
  )
  if (column === undefined || kind !== 'person') return undefined
  const [{ name }, found] = [column, { ...people.found, columns: [column] }]
  return { ...people, kind: 'organization', key: name, name, isOfValues: true, unmapped, found }
}

/** The tables that a file may be if others refer to it so: users if it has their numbers, organizations if it has whole names. */
export function tablesIn(file: Drafted): Drafted[] {
  const isOfUsers = /\busers?\b/.test(headerWords(file.step))
  const id = file.found.columns.find(
    ({ words, isDistinct, fits, filled }) =>
      (/^user ?id$/.test(words) || (isOfUsers && words === 'id')) &&
      isDistinct &&
      fits.number.count === filled,
  )
  const isNamed = file.kind === 'person' && file.name !== undefined
  return compact<Drafted>(
    id && { ...file, kind: 'users', key: id.name },
    isNamed && { ...file, kind: 'organization' },
  )
}
