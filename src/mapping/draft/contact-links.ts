import type { Column } from './column.ts'
import type { ContactFacts } from './contact-columns.ts'
import { field, group, type Part } from './lines.ts'
import { of, plainest } from './match.ts'
import { ruledPart, textRule, urlRule } from './rules.ts'

const hosts = [
  ['linkedin_url', 'linkedin', /linkedin\.com/i],
  ['twitter_url', 'twitter', /(twitter|\/\/x)\.com/i],
  ['facebook_url', 'facebook', /facebook\.com/i],
  ['github_url', 'github', /github\.com/i],
  ['instagram_url', 'instagram', /instagram\.com/i],
] as const

/** Links go where their host says; any other address of the web is the domain. */
export function linksPart({ columns, matches, distrusted }: ContactFacts, organizations: boolean): Part[] {
  const taken = new Set<Column>()
  const take = (column: Column | undefined) => {
    if (column !== undefined) taken.add(column)
    return column
  }
  const fields = hosts.flatMap(([key, role, host]) => {
    const byValue = columns.find(
      ({ example, fits, filled }) => fits.url.count > filled / 2 && host.test(example?.text ?? ''),
    )
    const column = take(plainest(matches, role) ?? byValue)
    if (column === undefined || column.isList) return []
    if (![...column.values.keys()].every(value => host.test(value)))
      return [
        field(key, textRule(column), `Some are names at ${role}, no addresses; all are sent as they stand.`),
      ]
    return [ruledPart(key, urlRule(column, 'url', distrusted))]
  })
  const sites = of(matches, 'website').map(({ column }) => column)
  const site = sites.find(column => !taken.has(column) && column.fits.url.count > 0)
  const fallback = organizations
    ? columns.find(column => !taken.has(column) && column.fits.url.count > column.filled / 2)
    : undefined
  const domain = site ?? fallback
  if (domain !== undefined) fields.unshift(ruledPart('domain', urlRule(domain, 'domain', distrusted)))
  const avatar = plainest(matches, 'avatar')
  return [
    ...(fields.length > 0 ? [group('url_details', fields)] : []),
    ...(avatar && avatar.fits.url.count > 0
      ? [ruledPart('avatar_url', urlRule(avatar, 'url', distrusted))]
      : []),
  ]
}
