// The fields of a record as a person finds them.
import { customValues } from '../../records/fields.ts'
import type { RecordType } from '../../records/kinds.ts'
import roleFields from '../draft/columns/role-fields.json' with { type: 'json' }
import { contactRoles, type RoleFacts, taskRoles, wordMark } from '../draft/columns/words.ts'
import { recordFields } from '../fields/run-fields.ts'
import { labelOf } from './samples.ts'

/** Parts of records that other objects bring along, and times that the service sets. */
const unusual = /capacity|custom_field|_at$|^(assigned_user|followers)\.(?!email$|user_id$|full_name$)/
const ofCustomFields: readonly string[] = customValues.map(name => `custom_field_values.${name}`)
const roles = { contact: contactRoles, task: taskRoles } as const
const known: Partial<Record<RecordType, ReturnType<typeof fieldsOf>>> = {}

/** The fields that a column may go to, those that files often have first; which of all are lists; and the kind of value of each. */
export function knownFields(record: RecordType) {
  known[record] ??= fieldsOf(record)
  return known[record]
}

function fieldsOf(record: RecordType) {
  const words = wordsByField(record)
  const all = recordFields(record).map(field => ({ ...field, name: field.path.join('.') }))
  const views = all.flatMap(({ name, takes, rule }) => {
    const isOffered = words.has(name) || ofCustomFields.includes(name) || !unusual.test(name)
    return rule !== undefined && isOffered ? viewOf(name, rule, takes, words.get(name)) : []
  })
  const byName = new Map(all.map(field => [field.name, field]))
  return {
    views: views.sort((a, b) => Number(a.words.length === 0) - Number(b.words.length === 0)),
    isList: (path: string) => byName.get(path)?.isList ?? false,
    kindOf: (path: string) => kindIn(byName.get(path)?.rule ?? ''),
  }
}

const kindIn = (rule: string) => /as: (\w+)/.exec(rule)?.[1]

/** `words` find the field, in all languages; `takes` are the settings that it may need; `values` are those of a list. */
function viewOf(path: string, rule: string, description: string, words: readonly string[] = []) {
  const as = kindIn(rule)
  const isList = /split/.test(rule)
  const seen = /seen: (.*)$/.exec(description)?.[1]?.split(', ')
  const values = seen ?? (as === 'boolean' ? ['true', 'false'] : [])
  const settings = {
    split: isList || /^(emails|phones|followers|projects|contacts)\./.test(path),
    country: as === 'phone',
    words: values.length > 0 || as === 'integer' || path.includes('option'),
  }
  const type = description === 'type not known' ? 'unknown' : (as ?? (isList ? 'list' : 'text'))
  const takes = (['split', 'country', 'words'] as const).filter(setting => settings[setting])
  return { path, label: labelOf(path), type, words, takes, values }
}

function wordsByField(record: RecordType): Map<string, string[]> {
  const fields: Readonly<Record<string, string>> = roleFields[record]
  const byField = new Map<string, string[]>()
  for (const [role, { words }] of Object.entries<RoleFacts>(roles[record])) {
    const path = fields[role] ?? ''
    const own = words.split('|').map(word => word.replace(wordMark, ''))
    byField.set(path, [...(byField.get(path) ?? []), ...own])
  }
  return byField
}
