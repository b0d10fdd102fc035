import { z } from 'zod'
import type { Field } from '../model/mapping-report.ts'
import { customValues, expected } from '../records/fields.ts'
import { kinds, type RecordType } from '../records/kinds.ts'
import { innerSchema } from './validate.ts'

/** The fields of a record in their order, each before its own fields; with words only those that have them in their paths. */
export function fieldsOf(record: RecordType, words: readonly string[] = []): Field[] {
  const fields = fieldsIn(kinds[record].request(), [])
  const chosen = fields
    .map(({ path }) => path.join('.'))
    .filter(name => words.every(word => name.includes(word.toLowerCase())))
  return fields.filter(({ path }) => chosen.some(name => `${name}.`.startsWith(`${path.join('.')}.`)))
}

/** A custom field has one of these values, by its kind. */
export const customFields = (): string[] =>
  customValues.map(name => {
    const { rule = '' } = fieldsOf('task', [name]).at(-1) ?? {}
    const withIds = name.startsWith('option')
      ? rule.replace(/(, as: uuid)? \}$/, ', map: { WORD: ID } }')
      : rule
    return `{ custom_field_id: ID, ${name}: ${withIds} }`
  })

function fieldsIn({ shape }: z.ZodObject, above: readonly string[], indent = 0): Field[] {
  return Object.entries(shape).flatMap(([name, schema]) => {
    const path = [...above, name]
    const inner = innerSchema(schema)
    const isList = inner instanceof z.ZodArray
    const item = isList ? innerSchema(inner.element) : inner
    const own = item instanceof z.ZodObject ? fieldsIn(item, path, indent + (isList ? 4 : 2)) : []
    const rule = own.length > 0 ? undefined : `{ from: COLUMN${typeOf(name, wanted(inner))} }`
    return [{ path, indent, takes: takenBy(schema), rule, isList }, ...own]
  })
}

/** The type is that which its schema asks for. */
const wanted = (schema: z.core.$ZodType) => z.safeParse(schema, Symbol()).error?.issues[0]?.message

function takenBy(schema: z.core.$ZodType): string {
  const type = wanted(schema)
  if (type === undefined) return 'type not known'
  const observed = z.globalRegistry.get(innerSchema(schema))?.observed as unknown[] | undefined
  const orNull = z.safeParse(schema, null).success ? ' or null' : ''
  return `${type}${orNull}${observed === undefined ? '' : `; seen: ${observed.join(', ')}`}`
}

const types: Readonly<Record<string, string>> = {
  email: ', as: email',
  phone_number: ', as: phone',
  [expected.uuid]: ', as: uuid',
  [expected.integer]: ', as: integer',
  [expected.number]: ', as: number',
  [expected.flag]: ', as: boolean',
  [expected.timestamp]: ', as: datetime',
  [expected.list]: ', split: ";"',
}

const typeOf = (name: string, takes = '') => types[name] ?? types[takes] ?? ''
