import type { Column } from './column.ts'
import type { ContactFacts } from './contact-columns.ts'
import { field, type Part } from './lines.ts'
import { of } from './match.ts'
import { someEmpty } from './name-part.ts'
import { type Flow, word } from './yaml-words.ts'
import { yesNoWords } from './yes-no.ts'

const companyWords =
  /^(company|organi[sz]ation|firma|unternehmen|business|account|entreprise|société|empresa|azienda|bedrijf|компания|corporate|legal entity)$/i
const personWords =
  /^(person|people|individual|contact|privatperson|personne|persona|pessoa|persoon|человек|private)$/i

/** What tells people from organizations: a column, or which of the names are filled. */
export function subType(
  { matches, facts }: ContactFacts,
  organizations: boolean,
  names: readonly Column[],
  company: Column | undefined,
): Part {
  const kind = of(matches, 'kind').find(({ column }) => tableOf(column) !== undefined)?.column
  const table = kind && tableOf(kind)
  if (kind !== undefined && table !== undefined)
    return field('record_sub_type', { from: kind.name, map: table, otherwise: 'omit' })
  if (organizations) return field('record_sub_type', 'organization')
  const isMixed =
    company !== undefined &&
    company.filled > 0 &&
    names.length > 0 &&
    !names.includes(company) &&
    someEmpty(names, facts)
  if (!isMixed || company === undefined) return field('record_sub_type', 'person')
  const all = (to: string) => [{ pattern: '[\\s\\S]+', with: to }]
  return field(
    'record_sub_type',
    {
      join: names.map(({ name }) => name),
      replace: all('person'),
      default: { from: company.name, replace: all('organization') },
    },
    `A row that names nobody but has a ${word(company.name)} is an organization.`,
  )
}

function tableOf(column: Column): Flow | undefined {
  if (column.filled === 0 || column.hasMoreValues || column.isList) return undefined
  const isQuestion = /^is (a company|company|an organi[sz]ation|organi[sz]ation)$/.test(column.words)
  const yesNo = isQuestion ? yesNoWords(column) : undefined
  if (yesNo !== undefined)
    return Object.fromEntries([
      ...yesNo.yes.map(word => [word, 'organization'] as const),
      ...yesNo.no.map(word => [word, 'person'] as const),
    ])
  const words = [...column.values.keys()]
  if (!words.every(word => companyWords.test(word) || personWords.test(word))) return undefined
  return Object.fromEntries(words.map(word => [word, companyWords.test(word) ? 'organization' : 'person']))
}
