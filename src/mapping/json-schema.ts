import { z } from 'zod'
import { kinds, recordTypes } from '../records/kinds.ts'
import { ruleMarks, ruleSchema } from './rule.ts'
import { mappingSchema } from './schema.ts'
import { innerSchema } from './validate.ts'

type JsonSchema = Record<string, unknown>

const node = { $ref: '#/$defs/node' }

/** For editors, made from the zod schema. */
export function mappingJsonSchema(): JsonSchema {
  const mapping = jsonSchemaOf(mappingSchema)
  const { body, ...properties } = mapping.properties as Record<string, JsonSchema>
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'A mapping file of rowlift',
    ...mapping,
    properties: { ...properties, body: { ...descriptionOf(body), type: 'object' } },
    allOf: recordTypes.map(record => ({
      if: { properties: { record: { const: record } }, required: ['record'] },
      // biome-ignore lint/suspicious/noThenProperty: it is a word of JSON Schema
      then: {
        properties: { body: fieldsOf(kinds[record].request()) },
      },
    })),
    $defs: { node: nodeSchema(), rule: ruleJsonSchema() },
  }
}

const descriptionOf = ({ description, examples }: JsonSchema = {}) => ({ description, examples })

export function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    override({ jsonSchema }) {
      const { shown } = jsonSchema
      if (shown !== undefined) jsonSchema.examples = shown as unknown[]
      delete jsonSchema.shown
    },
  })
  return rest
}

function ruleJsonSchema(): JsonSchema {
  const rule = jsonSchemaOf(ruleSchema)
  const properties = rule.properties as Record<string, JsonSchema>
  return {
    ...rule,
    description: 'A rule: its parts are applied in the order in which they are listed.',
    properties: {
      ...properties,
      default: { ...descriptionOf(properties.default), ...node },
      each: { ...descriptionOf(properties.each), ...node },
    },
    oneOf: ruleMarks.map(mark => ({ required: [mark] })),
  }
}

/** An object with a mark of a rule is a rule, else a nested object. */
function nodeSchema(): JsonSchema {
  const isRule = { type: 'object', anyOf: ruleMarks.map(mark => ({ required: [mark] })) }
  return {
    description: 'A constant, a template with {{Column}}, a rule, a nested object, or a list of them.',
    if: isRule,
    // biome-ignore lint/suspicious/noThenProperty: it is a word of JSON Schema
    then: { $ref: '#/$defs/rule' },
    else: { items: node, additionalProperties: node },
  }
}

/** A rule may replace each field. */
function fieldsOf(schema: z.core.$ZodType): JsonSchema {
  const inner = innerSchema(schema)
  if (inner instanceof z.ZodObject) {
    const fields = Object.entries(inner.shape).map(([name, field]) => [name, fieldsOf(field)] as const)
    return { anyOf: [{ $ref: '#/$defs/rule' }, { properties: Object.fromEntries(fields) }] }
  }
  if (inner instanceof z.ZodArray)
    return { anyOf: [{ $ref: '#/$defs/rule' }, { type: 'array', items: fieldsOf(inner.element) }] }
  return node
}
