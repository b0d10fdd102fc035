import type { Column } from './column.ts'
import { addressPart } from './contact-address.ts'
import {
  areOrganizations,
  type ContactFacts,
  designationOf,
  emailColumns,
  type Matches,
  phoneColumns,
} from './contact-columns.ts'
import { subType } from './contact-kind.ts'
import { linksPart } from './contact-links.ts'
import type { ContactRole } from './contact-words.ts'
import { field, group, item, looking, off, type Part } from './lines.ts'
import { of, plainest } from './match.ts'
import { namePart, nameQuestion } from './name-part.ts'
import { partedNames } from './parted-names.ts'
import {
  type Distrusted,
  emailRule,
  numberRule,
  phoneRule,
  ruledPart,
  textRule,
  userEmailRule,
} from './rules.ts'
import { userLookup } from './user-lookup.ts'
import type { Flow } from './yaml-words.ts'
import { yesNoPart } from './yes-no.ts'

/** The fields of a contact, and the columns that are in them. */
export function contactParts(given: ContactFacts): Part[] {
  const { matches, facts, distrusted, columns } = given
  const organizations = areOrganizations(given)
  const get = (role: ContactRole) => plainest(matches, role)
  const [emails, phones] = [emailColumns(given), phoneColumns(given)]
  const { first, last, whole } = partedNames(given)
  const person = [first, get('middle'), last].filter(column => column !== undefined)
  const isSplit = first !== undefined || last !== undefined
  const company = get('company')
  const called = isSplit ? person : [whole].filter(column => column !== undefined)
  const names = organizations && company !== undefined && !whole ? [company] : called
  const chain = [
    ...(isSplit && whole ? [whole] : []),
    get('nickname'),
    company,
    ...emails,
    ...phones,
    get('linkedin'),
  ]
  const fallback = names.length > 0 ? names : nameless(given, emails, phones)
  const designation = organizations ? undefined : designationOf(matches)
  const description = get('description')
  return [
    namePart(
      fallback,
      chain.filter(column => column !== undefined && !fallback.includes(column)) as Column[],
      facts,
      names.length > 0 ? [] : nameQuestion('contact', fallback),
    ),
    subType(given, organizations, names, company),
    ...(designation ? [field('designation', textRule(designation))] : []),
    ...(description ? [field('description', textRule(description, '\n'))] : []),
    ...(emails.length > 0
      ? [
          group(
            'emails',
            emails.map(column => ruledItem(emailRule(column, distrusted))),
          ),
        ]
      : []),
    ...(phones.length > 0 ? [phonesPart(phones, distrusted)] : []),
    ...addressPart(matches),
    ...linksPart(given, organizations),
    ...owned(given),
    ...yesNoPart('archived', get('archived'), distrusted),
    ...positions(matches, distrusted),
    ...(company && !names.includes(company) ? parentPart(company) : []),
  ].filter(part => part !== undefined && columns.length > 0)
}

const ruledItem = ({ rule, comments }: ReturnType<typeof emailRule>): Part => item(rule as Flow, ...comments)

const nameWords = /\b(name|names|title|naam|nom|nombre|nome|navn|namn|nazwa|nazev|nimi|bezeichnung|titel)$/

/** What a row is called by where no column names anybody: the first text, else whatever there is. */
function nameless({ columns }: ContactFacts, emails: readonly Column[], phones: readonly Column[]): Column[] {
  const texts = columns.filter(
    column =>
      column.filled > 0 &&
      ![...emails, ...phones].includes(column) &&
      column.fits.number.count + column.fits.date.count + column.fits.url.count < column.filled / 2,
  )
  const found =
    texts.find(({ words }) => nameWords.test(words)) ??
    texts[0] ??
    emails[0] ??
    columns.find(({ filled }) => filled > 0) ??
    columns[0]
  return found === undefined ? [] : [found]
}

function phonesPart(phones: readonly Column[], distrusted: Distrusted): Part {
  const rules = phones.map(column => phoneRule(column, distrusted))
  const isOpen = JSON.stringify(rules).includes('"keep"')
  return group(
    'phones',
    rules.map(ruledItem),
    ...(isOpen
      ? [
          'Numbers with their country (+44 …) become E.164, all others are sent as they stand. To have those read as well,',
          'add their country, as in { as: phone, country: GB }, and take "otherwise" out.',
        ]
      : []),
  )
}

function owned({ matches, distrusted }: ContactFacts): Part[] {
  const owners = [...of(matches, 'ownerEmail'), ...of(matches, 'owner')].map(({ column }) => column)
  const byEmail = owners.find(({ fits, filled }) => filled > 0 && fits.email.count > filled / 2)
  if (byEmail !== undefined)
    return [group('assigned_user', [ruledPart('email', userEmailRule(byEmail, distrusted))])]
  const [owner] = owners
  return owner === undefined ? [] : [userLookup(owner, 'contact')]
}

function positions(matches: Matches, distrusted: Distrusted): Part[] {
  return (
    [
      ['address_lat', 'latitude'],
      ['address_lng', 'longitude'],
    ] as const
  ).flatMap(([key, role]) => {
    const column = plainest(matches, role)
    if (column === undefined || Math.max(column.fits.number.count, column.fits.decimalComma.count) === 0)
      return []
    return [ruledPart(key, numberRule(column, distrusted))]
  })
}

function parentPart(company: Column): Part[] {
  return [
    looking(
      off(
        field(
          'parent',
          { record_id: { ...textRule(company), lookup: 'organizations', missing: 'omit' } },
          'The organization is a record of its own: import the organizations first, with a key that holds their names, then put this in, and "organizations" of the lookups above.',
        ),
      ),
      { organizations: { results: 'organizations.results.ndjson' } },
    ),
  ]
}
