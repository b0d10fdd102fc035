import { domainTransform } from '../../../mapping/transforms/transform.ts'
import type { Column } from '../columns/column.ts'
import { isWordy } from '../columns/evidence.ts'
import forms from '../columns/forms.json' with { type: 'json' }
import { anyOf, oneOf } from '../columns/words.ts'
import { question as ask, type Fragment, field, group, isQuestion, suggestion, together } from '../lines.ts'
import notes from '../notes.json' with { type: 'json' }
import { kindPart, type Named } from '../roles/kind.ts'
import { type ContactRoles, fullFirst } from '../roles/match.ts'
import { holds } from '../roles/names.ts'
import { comment, compact, quote } from '../yaml.ts'
import { addressesOf, addressRoles, addressRule } from './address.ts'
import { emailsPart, isMixed, parentPart, phonesPart, userPart } from './people.ts'
import {
  descriptionPart,
  namePart,
  numberField,
  onePart,
  perhaps,
  textRule,
  unknownParts,
  urlField,
  withRivals,
  yesNoField,
} from './rules.ts'

export function contactParts(roles: ContactRoles, named: Named, country?: string): Fragment[] {
  const { names, company, kind } = named
  const jobs = kind === 'organization' ? [] : roles.all('designation').filter(each => !names.includes(each))
  const designation = jobs.find(({ filled }) => filled > 0) ?? jobs[0]
  const [address] = addressesOf(roles, names)
  const firm = company ?? (kind === 'person' ? roles.weak('company')[0] : undefined)
  const hinted = [...new Set(addressRoles.flatMap(roles.weak))]
  const weak = (['designation', 'description', 'company', 'website', 'phone'] as const).flatMap(roles.weak)
  const taken = [...names, ...compact(address?.whole, ...(address?.parts ?? []))]
  const texts = descriptionsOf(roles, taken)
  const description = descriptionPart(texts)
  const owners = roles.all('ownerEmail', 'owner').filter(column => !isOwnName(column, roles, names))
  return compact(
    peopleNote(roles),
    calledPart(roles, named),
    designation
      ? jobPart(designation)
      : kind === 'person' && perhaps('the job title', roles.weak('designation'), jobPart),
    description ?? perhaps('a note', roles.weak('description'), notePart),
    reachParts(roles, names, country),
    address
      ? field('address', addressRule(address, roles))
      : perhaps('the address', hinted.filter(isLine), addressPart),
    ...linkParts(roles, kind),
    userPart(owners, roles.rows, 'contact'),
    yesNoField('archived', roles.get('archived')),
    numberField('address_lat', roles.get('latitude')),
    numberField('address_lng', roles.get('longitude')),
    firm && suggestion(firmPart(firm), notes.fields.organizations),
    ...unknownParts(
      roles.free().filter(column => ![...taken, ...texts, ...weak, ...hinted].includes(column)),
      [
        kind === 'person' && !designation && ['designation', 'The job title', jobPart],
        kind === 'person' && !firm && ['parent', 'Where they work', firmPart],
        !address && ['address', 'The address', addressPart],
        !description && ['description', 'A note', notePart],
      ],
    ),
  )
}

const firmPart = (column: Column) =>
  parentPart(column, 'organizations', { results: 'organizations.results.ndjson' })
const isLine = ({ longest }: Column) => longest > 3
const addressPart = (column: Column) => field('address', textRule(column))
const notePart = (column: Column) => field('description', textRule(column, '\n'))
const jobPart = (column: Column) => field('designation', textRule(column))

/** Columns of notes; else one of long texts. */
function descriptionsOf(roles: ContactRoles, taken: readonly Column[]): Column[] {
  const known = roles.all('description').filter(each => !isMixed(each) && !taken.includes(each))
  const free = fullFirst(roles.free().filter(column => !taken.includes(column)))
  const filled = known.filter(each => each.filled > 0)
  if (known.length > 0) return filled.length > 0 ? filled : known.slice(0, 1)
  return compact(free.find(isWordy))
}

/** A note on others in the row, who have a name and a number or an address of their own. */
function peopleNote({ people }: ContactRoles): Fragment | undefined {
  const names = people.filter(({ filled }) => filled > 0).map(({ name }) => quote(name))
  const note = `Rows name others as well, by ${names.join(', ')}, who are left out. A second mapping, in which these are the contacts, imports them from the same file.`
  return names.length > 0 ? { lines: [comment(note)] } : undefined
}

/** The name and the kind; a question if either a company or who is there may be the record. */
function calledPart(roles: ContactRoles, named: Named): Fragment {
  const { names, others, rival, question, kind } = named
  const [called, own] = [namePart(names, others, roles.rows, question), kindPart(roles, named)]
  if (rival === undefined) return together(called, own)
  const other = kind === 'person' ? 'organization' : 'person'
  const [one, two] = [names, rival].map(([column]) => quote(column?.name ?? ''))
  const text = `Is a row the ${kind} of ${one}, or the ${other} of ${two}? If it is the ${other}:`
  const isTyped = roles.filled('kind') !== undefined || own.lines.some(isQuestion)
  const [part, instead] = [
    isTyped ? called : together(called, own),
    together(namePart(rival, others, roles.rows), isTyped ? undefined : field('record_sub_type', other)),
  ]
  const asked = ask(text, [{ id: other, label: other, part: instead }], { id: kind, label: kind, part })
  return together(asked, isTyped ? own : undefined)
}

/** The addresses and numbers; a question if all are of others. */
function reachParts(roles: ContactRoles, names: readonly Column[], country?: string): Fragment {
  const emails = reachedBy('email', roles, names)
  const phones = reachedBy('phone', roles, names)
  const part = together(emailsPart(emails, roles.rows), phonesPart(phones, roles, country))
  const [stranger] = reachedAsOthers(roles, names)
  if (stranger === undefined) return part
  const [name, such] = [names[0]?.name ?? '', stranger.name].map(quote)
  const text = `Is ${name} reached by the addresses and numbers of others, such as ${such}? If not, they are left out.`
  const offer = { id: 'none', label: 'No', part: { lines: [] } }
  return ask(text, [offer], { id: 'take', label: 'Yes', part })
}

/** If the contact is one of several relatives, such as the mother, what belongs to the father is not its own. */
function reachedBy(role: 'email' | 'phone', roles: ContactRoles, [first]: readonly Column[]): Column[] {
  const isReached = roles.all('email', 'phone').some(each => isOfSame(each, first))
  const isReach = (column: Column) =>
    isMixed(column) ? !roles.others.has(column) : isOfSame(column, first) && column.share(`${role}s`) > 0.5
  const isOwn = (column: Column) => isOfSame(column, first) || relativeIn(column) === undefined
  const all = [...new Set([...roles.inOrder(role), ...roles.columns.filter(isReach)])]
  const own = all.filter(column => !isReached || isOwn(column))
  const isLogin = ({ words }: Column) => oneOf.logins.test(words)
  return own.every(isLogin) ? own : own.filter(column => !isLogin(column))
}

/** The addresses and numbers, if the contact is a relative, such as a child, and all of them are called as those of others. */
export function reachedAsOthers(roles: ContactRoles, [first]: readonly Column[]): Column[] {
  const all = roles.all('email', 'phone')
  const isOfOther = (column: Column) => !isOfSame(column, first) && relativeIn(column) !== undefined
  return relativeIn(first) !== undefined && all.every(isOfOther) ? all : []
}

const isOfSame = (column: Column, first: Column | undefined) =>
  relativeIn(column)?.startsWith(relativeIn(first) ?? '-') ?? false

/** The relative that a header names, with its number, as in "Parent 2". */
function relativeIn(column: Column | undefined): string | undefined {
  const { words = '' } = column ?? {}
  const [relative, ...number] = [anyOf.otherPeople.exec(words)?.[0], /(?<= )\d+/.exec(words)?.[0]]
  return relative && compact(relative, ...number).join(' ')
}

/** The owner is the contact itself, as that of an animal. */
const isOwnName = (column: Column, { rows }: ContactRoles, names: readonly Column[]) =>
  names.length > 0 && names.every(part => holds(rows, column, part))

/** All links lead to one host, which is nobody's own: a tracker, or the product that exported them. */
function isOfOneHost({ samples, isSame }: Column): boolean {
  const hosts = new Set([...samples].map(text => domainTransform(text)))
  return hosts.size === 1 && (samples.size > 1 || isSame)
}

/** Leads to what somebody offers or looks for, not to somebody. */
const isSearch = (text: string) => /\/(jobs|search)\b|[?&](q|query|keywords)=/.test(text)

const areSites = (column: Column) =>
  column.share('url') > 0.8 &&
  column.isVaried &&
  !oneOf.logins.test(column.words) &&
  !isOfOneHost(column) &&
  column.shareOf(isFile) < 0.2
const isFile = (text: string) =>
  isSearch(text) || /\.(png|jpe?g|gif|svg|webp|pdf|docx?|asc|xml|ics)$/i.test(text)

/** Web addresses by the host of most values; others are the domain, except those of a network among them. */
function linkParts(roles: ContactRoles, kind: Named['kind']): Fragment[] {
  const hosted = Object.entries(forms.networks).map(([network, form]) => {
    const [role, host] = [network as keyof typeof forms.networks, new RegExp(form, 'i')]
    const share = (column: Column) => column.shareOf(text => host.test(text))
    const isOfHost = (column: Column) => column.share('url') > 0.5 && share(column) > 0.5
    const all = [...roles.all(role), ...roles.columns.filter(isOfHost)]
    return { role, host, share, column: all.find(column => column.shareOf(isSearch) < 0.5) }
  })
  const isFree = (column: Column) => !hosted.some(host => host.column === column)
  const sites = roles.all('website').filter(column => isFree(column) && column.share('url') > 0)
  const domain = sites.find(column => !isOfOneHost(column))
  const among = hosted.filter(({ share }) => domain && share(domain) > 0)
  const links = hosted.flatMap(host => {
    const { role, share, column } = host
    if (domain && !column?.filled && among.includes(host))
      return [urlField(`${role}_url`, domain, 'url', `^(?!.*${host.host.source}).*$`)]
    if (column === undefined || column.isList) return []
    if (share(column) >= 0.5) return [urlField(`${role}_url`, column, 'url')]
    const note = `Some are names at ${role}, no addresses; all are sent as they are.`
    return [field(`${role}_url`, textRule(column), note)]
  })
  const others = among.map(({ host }) => host.source).join('|')
  const avatar = roles.all('avatar').find(({ words }) => kind !== 'person' || !anyOf.companyKinds.test(words))
  const sitePart = (column: Column) =>
    urlField('domain', column, 'domain', others ? `^.*(${others}).*$` : undefined)
  const weak = [...new Set([...roles.weak('website'), ...roles.free().filter(areSites)])].filter(isFree)
  const rivals = domain
    ? withRivals([domain, ...sites.filter(each => each !== domain), ...weak], roles.rows)
    : []
  const site = domain
    ? onePart('Which is their website', rivals, sitePart)
    : perhaps('the website', weak, sitePart)
  const picture = avatar && avatar.share('url') > 0 && urlField('avatar_url', avatar, 'url')
  return compact(group('url_details', [site, ...links]), picture)
}
