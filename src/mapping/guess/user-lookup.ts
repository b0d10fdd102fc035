import type { Column } from './column.ts'
import { field, off, type Part } from './lines.ts'

/** A user by name: the ids have to come from a table. */
export const userLookup = (column: Column): Part =>
  off(
    field(
      'assigned_user_id',
      { from: column.name, lookup: 'users', missing: 'omit', as: 'integer' },
      'People by name need a table of users; put this line in, and at the top level',
      'lookups: { users: { file: users.csv, key: name, value: user_id } }',
    ),
  )
