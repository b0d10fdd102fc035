import type { Column } from './column.ts'
import type { Roles } from './match.ts'
import { textRule, urlField } from './rules.ts'
import type { ContactRole } from './words.ts'
import { compact, field, group, type Part } from './yaml.ts'

const hosts = (['linkedin', 'twitter', 'facebook', 'github', 'instagram'] as const).map(
  role => [role, new RegExp(`(${role}${role === 'twitter' ? '|//x' : ''})\\.com`, 'i')] as const,
)

/** By the host; other web addresses are the domain. */
export function linkParts(roles: Roles<ContactRole>, isOrganizations: boolean): Part[] {
  const hosted = hosts.map(([role, host]) => {
    const isOfHost = (column: Column) => column.share('url') > 0.5 && host.test(column.example?.text ?? '')
    return { role, host, column: roles.get(role) ?? roles.columns.find(isOfHost) }
  })
  const links = hosted.flatMap(({ role, host, column }) => {
    if (column === undefined || column.isList) return []
    if ([...column.values].every(value => host.test(value))) return [urlField(`${role}_url`, column, 'url')]
    const comment = `Some are names at ${role}, no addresses; all are sent as they are.`
    return [field(`${role}_url`, textRule(column), comment)]
  })
  const isFree = (column: Column) => !hosted.some(host => host.column === column)
  const domain =
    roles.all('website').find(column => isFree(column) && column.share('url') > 0) ??
    roles.columns.find(column => isOrganizations && isFree(column) && column.share('url') > 0.5)
  const avatar = roles.get('avatar')
  return compact(
    group('url_details', [domain && urlField('domain', domain, 'domain'), ...links]),
    avatar && avatar.share('url') > 0 && urlField('avatar_url', avatar, 'url'),
  )
}
