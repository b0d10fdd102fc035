import { z } from 'zod'
import type { Run } from '../../cli/command.ts'
import { UsageError } from '../../model/errors.ts'
import { listed } from '../../output/words/sentence.ts'
import { customFieldValue, customValues, expected, innerSchema, requested } from '../../records/fields.ts'
import { kinds, type RecordType } from '../../records/kinds.ts'
import { recordTypes } from '../../records/record-types.ts'
import { exitCodes } from '../../run/exit-code.ts'
import { writeTexts } from '../../run/ports.ts'

/** `rowlift fields`: lists the fields of a record; returns the exit code. Throws a UsageError. */
export const runFields: Run = async ({ positionals }, { stdout }) => {
  const [named, ...words] = positionals
  const record = recordTypes.find(each => each === named)
  if (record === undefined) throw new UsageError('no_record_named', { records: recordTypes })
  const fields = recordFields(record, words)
  if (fields.length === 0) throw new UsageError('no_such_field', { record, words })
  const hasCustom = fields.some(({ path: [first] }) => first === 'custom_field_values')
  const note = words.length > 0 ? '' : noteOf(record)
  await writeTexts([note, describeFields(fields, hasCustom ? customFields() : [])], stdout)
  return exitCodes.finished
}

function noteOf(record: RecordType): string {
  const own = listed(kinds[record].ofService)
  const text = `These fields of a ${record} may be sent. Which of them the service takes is not known: import five rows, and look at the records. The service itself sets ${own}.`
  return text.replaceAll(/(.{1,90})(?: |$)/g, '# $1\n')
}

/** A field that a create call may have. */
interface Field {
  /** Its names from the body down. */
  readonly path: readonly string[]
  /** Indent of its line in YAML. */
  readonly indent: number
  readonly takes: string
  /** An example; undefined if the field has fields of its own. */
  readonly rule: string | undefined
  readonly isList: boolean
}

/** The fields of a record in their order, each before its own fields; with words only those that have them in their paths. */
export function recordFields(record: RecordType, words: readonly string[] = []): Field[] {
  const fields = fieldsIn(kinds[record].request(), [])
  const chosen = fields
    .map(({ path }) => path.join('.'))
    .filter(name => words.every(word => name.includes(word.toLowerCase())))
  return fields.filter(({ path }) => chosen.some(name => `${name}.`.startsWith(`${path.join('.')}.`)))
}

/** A custom field has one of these values, by its kind. */
export function customFields(): string[] {
  const fields = fieldsIn(customFieldValue(requested), [])
  return customValues.map(name => {
    const { rule = '' } = fields.find(({ path }) => path.at(-1) === name) ?? {}
    const withIds = rule.replace(/(, as: uuid)? \}$/, ', map: { WORD: ID } }')
    return `{ custom_field_id: ID, ${name}: ${name.startsWith('option') ? withIds : rule} }`
  })
}

function fieldsIn({ shape }: z.ZodObject, above: readonly string[], indent = 0): Field[] {
  return Object.entries(shape).flatMap(([name, schema]) => {
    const path = [...above, name]
    const inner = innerSchema(schema)
    const isList = inner instanceof z.ZodArray
    const item = isList ? innerSchema(inner.element) : inner
    const own = item instanceof z.ZodObject ? fieldsIn(item, path, indent + (isList ? 4 : 2)) : []
    const type = types[name] ?? types[wanted(inner) ?? ''] ?? ''
    const rule = own.length > 0 ? undefined : `{ from: COLUMN${type} }`
    return [{ path, indent, takes: takenBy(schema), rule, isList }, ...own]
  })
}

/** The type that a schema wants, in words. */
const wanted = (schema: z.core.$ZodType) => z.safeParse(schema, Symbol()).error?.issues[0]?.message

function takenBy(schema: z.core.$ZodType): string {
  const type = wanted(schema)
  if (type === undefined) return 'type not known'
  const observed = z.globalRegistry.get(innerSchema(schema))?.observed as unknown[] | undefined
  const orNull = z.safeParse(schema, null).success ? ' or null' : ''
  const required = schema instanceof z.ZodOptional ? '' : '; required'
  return `${type}${orNull}${required}${observed === undefined ? '' : `; seen: ${observed.join(', ')}`}`
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

/** Describes fields as the lines of a body, each with the values it takes, then the ways to write a custom field. */
function describeFields(fields: readonly Field[], customFields: readonly string[]): string {
  let above: Field | undefined
  const lines = fields.map(field => {
    const { path, indent, takes, rule } = field
    const isFirst = above?.isList && above.path.length < path.length
    above = field
    const start = ' '.repeat(isFirst ? indent - 2 : indent) + (isFirst ? '- ' : '')
    const line = `${start}${path.at(-1)}:${rule === undefined ? '' : ` ${rule}`}`
    return `${line.padEnd(63)} # ${takes}\n`
  })
  const custom = customFields.map(each => `  - ${each}\n`)
  const title = '\n# Each custom field has one value, by its kind:\ncustom_field_values:\n'
  return [...lines, ...(custom.length > 0 ? [title, ...custom] : [])].join('')
}
