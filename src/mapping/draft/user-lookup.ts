import type { RecordType } from '../../records/kinds.ts'
import type { Column } from './column.ts'
import { field, looking, off, type Part } from './lines.ts'
import { textRule } from './rules.ts'

/** A user by name: the ids have to come from a table. */
export function userLookup(column: Column, record: RecordType): Part {
  const rule = { ...textRule(column), lookup: 'users', missing: 'omit', as: 'integer' }
  const why = 'People by name need a table of users: put this in, and "users" of the lookups above.'
  const part =
    record === 'contact'
      ? field('assigned_user_id', rule, why)
      : field('assigned_user', { user_id: rule }, why)
  return looking(off(part), { users: { file: 'users.csv', key: 'name', value: 'user_id' } })
}
