// The fields of a record as a person finds them.
import type { RecordType } from '../../records/kinds.ts'
import roleFields from '../draft/columns/role-fields.json' with { type: 'json' }
import { contactRoles, type RoleFacts, taskRoles } from '../draft/columns/words.ts'
import { customFields, recordFields } from '../fields/run-fields.ts'
import type { FieldView } from './api.ts'
import { labelOf } from './samples.ts'

/** Parts of records that other objects bring along, and times that the service sets. */
const unusual = /capacity|custom_field|_at$|^(assigned_user|followers)\.(?!email$|user_id$|full_name$)/
const roles = { contact: contactRoles, task: taskRoles } as const
const known = new Map<RecordType, ReturnType<typeof fieldsOf>>()

/** The fields that a column may go to, those that files often have first; which of all are lists; and the kind of value of each. */
export function knownFields(record: RecordType) {
  const fields = known.get(record) ?? fieldsOf(record)
  known.set(record, fields)
  return fields
}

function fieldsOf(record: RecordType) {
  const words = wordsByField(record)
  const all = recordFields(record).map(field => ({ ...field, name: field.path.join('.') }))
  const plain = all.flatMap(({ name, takes, rule }) => {
    const isOffered = rule !== undefined && (words.has(name) || !unusual.test(name))
    return isOffered ? viewOf(name, rule, takes, words.get(name)) : []
  })
  const own = customFields().map(rule =>
    viewOf(`custom_field_values.${/\w+_value|option\w+/.exec(rule)?.[0]}`, rule, rule),
  )
  const isRare = ({ words }: FieldView) => Number(words.length === 0)
  const rules = new Map(all.map(({ name, rule }) => [name, rule]))
  const lists = new Set(all.flatMap(({ name, isList }) => (isList ? name : [])))
  return {
    views: [...plain, ...own].sort((a, b) => isRare(a) - isRare(b)),
    isList: (path: string) => lists.has(path),
    kindOf: (path: string) => /as: (\w+)/.exec(rules.get(path) ?? '')?.[1],
  }
}

function viewOf(path: string, rule: string, takes: string, words: readonly string[] = []): FieldView {
  const seen = /seen: (.*)$/.exec(takes)?.[1]?.split(', ')
  const values = seen ?? (/as: boolean/.test(rule) ? ['true', 'false'] : [])
  const isInList = /^(emails|phones|followers|projects|contacts)\./.test(path)
  const settings = {
    split: isInList || /split/.test(rule),
    country: /as: phone/.test(rule),
    date: /as: datetime/.test(rule),
    words: values.length > 0 || /as: integer|option/.test(rule),
  }
  const own = (['split', 'country', 'date', 'words'] as const).filter(setting => settings[setting])
  return { path, label: labelOf(path), description: takes, words, takes: own, values }
}

function wordsByField(record: RecordType): Map<string, string[]> {
  const fields: Readonly<Record<string, string>> = roleFields[record]
  const byField = new Map<string, string[]>()
  for (const [role, { words }] of Object.entries<RoleFacts>(roles[record])) {
    const path = fields[role] ?? ''
    byField.set(path, [
      ...(byField.get(path) ?? []),
      ...words.split('|').map(word => word.replace(/^[~=@]/, '')),
    ])
  }
  return byField
}
