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

function fieldsIn({ shape }: z.ZodObject, above: readonly string[]): Field[] {
  return Object.entries(shape).flatMap(([name, schema]) => {
    const path = [...above, name]
    const inner = innerSchema(schema)
    const item = inner instanceof z.ZodArray ? innerSchema(inner.element) : inner
    const own = item instanceof z.ZodObject ? fieldsIn(item, path) : []
    const takes = z.safeParse(inner, Symbol()).error?.issues[0]?.message
    const { observed = [] } = z.globalRegistry.get(inner) ?? {}
    const field: Field = {
      path,
      takes,
      isNullable: takes !== undefined && z.safeParse(schema, null).success,
      observed: observed as unknown[],
      rule: own.length > 0 ? undefined : `{ from: COLUMN${typeOf(name, takes)} }`,
      isList: inner instanceof z.ZodArray,
    }
    return [field, ...own]
  })
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
