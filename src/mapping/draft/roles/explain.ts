import type { Explained } from '../../../model/mapping-report.ts'
import type { Mapping } from '../../mapping.ts'
import { flow } from '../yaml.ts'
import type { Roles } from './match.ts'

export function explain<Role extends string>(
  { candidates, others }: Roles<Role>,
  draft: string,
  mapping: Mapping,
): Explained[] {
  const comments = draft.split('\n').filter(line => /^\s*#.*\b(from|join|key):/.test(line))
  const all = [...candidates]
  return all.map(([column, found]) => {
    const { name, filled, rows } = column
    const winner = all.find(
      ([other, [best]]) =>
        other !== column && best?.role === found[0]?.role && best && mapping.fieldsOf(other.name).length > 0,
    )
    const isSuggested = comments.some(line => line.includes(flow(name)))
    return {
      column: name,
      filled: filled / Math.max(1, rows),
      fields: mapping.fieldsOf(name),
      unmapped: others.has(column) ? 'of others' : isSuggested ? 'suggested' : winner ? 'beaten' : 'unknown',
      beatenBy: winner?.[0].name,
      roles: found.slice(0, 2),
    }
  })
}
