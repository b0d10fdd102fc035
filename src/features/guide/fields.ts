// The fields of a record as a person finds them, and the rule that a column gets under one.
import { parse } from 'yaml'
import { kinds, type RecordType } from '../../records/kinds.ts'
import type { Column } from '../draft/columns/column.ts'
import roleFields from '../draft/columns/role-fields.json' with { type: 'json' }
import { contactRoles, type RoleFacts, taskRoles } from '../draft/columns/words.ts'
import { datePart, estimatePart } from '../draft/fields/dates.ts'
import { numberField, textRule, unlessAll, urlField, yesNoField } from '../draft/fields/rules.ts'
import { type FlowMap, type Fragment, isText } from '../draft/yaml.ts'
import { customFields, recordFields } from '../fields/run-fields.ts'
import type { FieldView } from './api.ts'
import { labelOf } from './samples.ts'

const custom = 'custom_field_values'
/** Parts of records that other objects bring along, and times that the service sets. */
const unusual = /capacity|custom_field|_at$|^(assigned_user|followers)\.(?!email$|user_id$|full_name$)/

const rolesOf = { contact: contactRoles, task: taskRoles } as const

export function fieldViews(record: RecordType): FieldView[] {
  const words = wordsByField(record)
  const plain = recordFields(record).filter(
    ({ rule, path }) => rule !== undefined && (!unusual.test(path.join('.')) || words.has(path.join('.'))),
  )
  const views = plain.map(({ path, takes, rule = '' }) => {
    const name = path.join('.')
    return {
      ...{ path: name, label: labelOf(name), description: takes },
      ...kindOf(name, rule, takes, words),
    }
  })
  const own = customFields().map(text => {
    const name = `${custom}.${/\w+_value|option\w+/.exec(text)?.[0]}`
    return { ...{ path: name, label: labelOf(name), description: text }, ...kindOf(name, text, '', words) }
  })
  const rank = ({ words: [first] }: FieldView) => Number(first === undefined)
  return [...views, ...own].sort((a, b) => rank(a) - rank(b))
}

function kindOf(path: string, rule: string, takes: string, words: ReadonlyMap<string, string[]>) {
  const values =
    /seen: (.*)$/.exec(takes)?.[1]?.split(', ') ?? (/as: boolean/.test(rule) ? ['true', 'false'] : [])
  const isWord = values.length > 0 || /as: integer|option/.test(rule)
  const all = [
    (/split/.test(rule) || /^(emails|phones|followers|projects|contacts)\./.test(path)) && 'split',
    /as: phone/.test(rule) && 'country',
    /as: datetime/.test(rule) && 'date',
    isWord && 'words',
  ] as const
  const setting = all.filter(each => each !== false)
  return { words: words.get(path) ?? [], takes: setting, values }
}

function wordsByField(record: RecordType): Map<string, string[]> {
  const byField = new Map<string, string[]>()
  const fields: Readonly<Record<string, string>> = roleFields[record]
  for (const [role, { words }] of Object.entries<RoleFacts>(rolesOf[record]))
    if (fields[role])
      byField.set(fields[role], [
        ...(byField.get(fields[role]) ?? []),
        ...words.split('|').map(word => word.replace(/^[~=@]/, '')),
      ])
  return byField
}

export const isListField = (record: RecordType) => {
  const lists = new Set(recordFields(record).flatMap(({ path, isList }) => (isList ? path.join('.') : [])))
  return (path: string) => lists.has(path)
}

/** The rule of a column under a field, as `init` would draft it. */
export function ruleFor(record: RecordType, field: string, column: Column): FlowMap {
  const key = field.split('.').at(-1) ?? ''
  const plain = recordFields(record).find(({ path }) => path.join('.') === field)?.rule ?? ''
  const as = /as: (\w+)/.exec(plain)?.[1]
  const text = textRule(column)
  const drafted = (part: Fragment | undefined): FlowMap => ruleIn(part, key) ?? { ...text, as }
  if (field === 'estimated_time' || field === 'actual_time')
    return ruleIn(estimatePart(column), 'estimated_time') ?? { ...text, as: 'duration', unit: 'hours' }
  if (as === 'datetime') return drafted(datePart(key, column))
  if (as === 'number') return drafted(numberField(key, column))
  if (as === 'boolean') return drafted(yesNoField(key, column))
  if (as === 'email') return { ...text, as, otherwise: unlessAll(column, column.fits.email) }
  if (as === 'phone') return { ...text, as, extension: 'keep', otherwise: 'keep' }
  if (key === 'domain') return drafted(urlField(key, column, 'domain'))
  if (key.endsWith('_url')) return drafted(urlField(key, column, 'url'))
  if (key === 'description' && 'estimated_time' in kinds[record].request().shape)
    return { ...text, as: 'html' }
  return as ? { ...text, as } : text
}

/** The rule in the lines of a draft; of a question, that of its first answer. */
function ruleIn(part: Fragment | undefined, key: string): FlowMap | undefined {
  const lines = part?.lines.flatMap(line => (isText(line) ? line : (line.choices[0]?.part.lines ?? []))) ?? []
  const text = lines.filter(isText).map(line => (line.startsWith(`# ${key}:`) ? line.slice(2) : line))
  return parse(text.join('\n'))?.[key]
}
