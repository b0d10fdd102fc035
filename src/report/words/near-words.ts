import type { NearFacts } from '../../model/near-duplicates.ts'
import { counted, grouped, rows } from '../text.ts'

/** What near duplicates share. */
export const likenessWords: Readonly<Record<string, string>> = {
  email: 'the same e-mail',
  phone: 'the same phone number',
  name_and_domain: 'the same name and domain',
  name: 'the same name but for case, accents and order',
}

export const keyWords = ({ groups, key }: NearFacts): string =>
  key
    ? `key: ${key.column.slice(0, longestColumn)} makes ${grouped(key.groups)} of ${counted(groups, 'group')} one row each.`
    : ''

const mostGroups = 3
const mostPlaces = 3
const longestColumn = 120

/** The first groups, and what makes them one. */
export function nearLines({ near }: { readonly near?: NearFacts | undefined }): string[] {
  if (near === undefined || near.groups === 0) return []
  const lines = near.first.slice(0, mostGroups).map(({ by, size, rows }) => {
    const places = rows.slice(0, mostPlaces).map(({ source, line }) => `${source}:${line}`)
    const more = size > mostPlaces ? ` and ${grouped(size - mostPlaces)} more` : ''
    return `  ${places.join(', ')}${more}: ${by.map(each => likenessWords[each]).join('; ')}`
  })
  const heading = `Near duplicates: ${counted(near.groups, 'group')}, ${rows(near.rows)}`
  return [heading, ...lines, keyWords(near) && `  ${keyWords(near)}`].filter(Boolean)
}
