import type { Column } from '../columns/column.ts'
import type { ContactRoles } from '../roles/match.ts'
import { compact, field, group, type Part } from '../yaml.ts'
import { textRule, urlField } from './rules.ts'

const hosts = (['linkedin', 'twitter', 'facebook', 'github', 'instagram'] as const).map(
  role => [role, new RegExp(role === 'twitter' ? '(twitter|//x)[.]com' : `${role}[.]com`, 'i')] as const,
)

/** By the host of most values; other web addresses are the domain, and those of a network among them are not. */
export function linkParts(roles: ContactRoles): Part[] {
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
