import type { Column } from '../columns/column.ts'
import { isProse } from '../columns/evidence.ts'
import { anyOf, vocabulary } from '../columns/words.ts'
import { kindPart, type Named } from '../roles/kind.ts'
import type { ContactRoles } from '../roles/match.ts'
import { compact, field, group, type Part } from '../yaml.ts'
import { addressPart } from './address.ts'
import {
  descriptionPart,
  emailsPart,
  namePart,
  numberField,
  parentPart,
  phoneItem,
  phoneOtherwise,
  textRule,
  urlField,
  userPart,
  withoutCopies,
  yesNoField,
} from './rules.ts'

export function contactParts(roles: ContactRoles, named: Named): Part[] {
  const { names, others, company, question } = named
  const emails = withoutCopies(roles.inOrder('email'), roles.rows)
  const designation = named.kind === 'organization' ? undefined : designationOf(roles, names)
  return compact(
    namePart(names, others, roles.rows, question),
    kindPart(roles, named),
    designation && field('designation', textRule(designation)),
    descriptionPart(roles.get('description') ?? roles.free().find(isProse), names),
    emailsPart(emails, roles.rows),
    phonesPart(roles),
    addressPart(roles),
    ...linkParts(roles),
    userPart(roles.all('ownerEmail', 'owner'), rule => ['assigned_user_id', rule]),
    yesNoField('archived', roles.get('archived')),
    numberField('address_lat', roles.get('latitude')),
    numberField('address_lng', roles.get('longitude')),
    company && parentPart(company, organizations, organizationsNote),
  )
}

const organizations = ['organizations', { results: 'organizations.results.ndjson' }] as const
const organizationsNote =
  'The organization is a record of its own: import the organizations first, with a key that holds their names, then put this in, and "organizations" of the lookups above.'

const countryNote = [
  'Numbers with their country (+44 …) become E.164, all others are sent as they are. To have those read as well,',
  'add their country, as in { as: phone, country: GB }, and take "otherwise" out.',
]
const faxes = anyOf(vocabulary.faxes)

function phonesPart(roles: ContactRoles): Part | undefined {
  const own = roles.inOrder('phone').filter(({ words }) => !faxes.test(words))
  const phones = withoutCopies(own, roles.rows)
  const keepsSome = phones.some(column => phoneOtherwise(column) === 'keep')
  return group('phones', phones.map(phoneItem), ...(keepsSome ? countryNote : []))
}

function designationOf(roles: ContactRoles, names: readonly Column[]): Column | undefined {
  const found = roles.all('designation').filter(column => !names.includes(column))
  const rank = (column: Column) =>
    /^tit(le|el|re)$/.test(column.words)
      ? 1
      : /^rol(e|le|)$/.test(column.words) || !isExact(roles, column)
        ? 2
        : 0
  const [best] = found.sort((a, b) => Number(b.filled > 0) - Number(a.filled > 0) || rank(a) - rank(b))
  return best
}

const isExact = ({ candidates }: ContactRoles, column: Column) => candidates.get(column)?.[0]?.distance === 0

const hosts = (['linkedin', 'twitter', 'facebook', 'github', 'instagram'] as const).map(
  role => [role, new RegExp(role === 'twitter' ? '(twitter|//x)[.]com' : `${role}[.]com`, 'i')] as const,
)

/** By the host of most values; other web addresses are the domain, and those of a network among them are not. */
function linkParts(roles: ContactRoles): Part[] {
  const hosted = hosts.map(([role, host]) => {
    const share = (column: Column) => column.shareOf(text => host.test(text))
    const isOfHost = (column: Column) => column.share('url') > 0.5 && share(column) > 0.5
    return { role, host, share, column: roles.get(role) ?? roles.columns.find(isOfHost) }
  })
  const isFree = (column: Column) => !hosted.some(host => host.column === column)
  const domain = roles.all('website').find(column => isFree(column) && column.share('url') > 0)
  const links = hosted.flatMap(({ role, host, share, column }) => {
    if (domain && !column?.filled && share(domain) > 0)
      return [urlField(`${role}_url`, domain, 'url', `^(?!.*${host.source}).*$`)]
    if (column === undefined || column.isList) return []
    if (share(column) >= 0.5) return [urlField(`${role}_url`, column, 'url')]
    const comment = `Some are names at ${role}, no addresses; all are sent as they are.`
    return [field(`${role}_url`, textRule(column), comment)]
  })
  const among = hosted.filter(({ share }) => domain && share(domain) > 0)
  const others = among.map(({ host }) => host.source).join('|')
  const avatar = roles.get('avatar')
  return compact(
    group('url_details', [
      domain && urlField('domain', domain, 'domain', others && `^.*(${others}).*$`),
      ...links,
    ]),
    avatar && avatar.share('url') > 0 && urlField('avatar_url', avatar, 'url'),
  )
}
