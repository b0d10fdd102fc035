// The JSON Schemas in config/, for editors, made of what checks these files: `npm run schema` writes them.
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { z } from 'zod'

const draft = { $schema: 'https://json-schema.org/draft/2020-12/schema' }

/** Of settings files. */
export const settingsJsonSchema = ({ importOptions, flagOf, responseRules }) => ({
  ...draft,
  title: 'A settings file of rowlift',
  type: 'object',
  properties: propertiesOf(
    Object.entries(importOptions).filter(([name]) => name !== 'config'),
    { flagOf, responseRules },
  ),
  additionalProperties: false,
})

/** Of plans. */
export const planJsonSchema = ({ commonOptions, stepOptions, ...names }) => ({
  ...draft,
  title: 'A plan of rowlift: a migration as one file',
  type: 'object',
  properties: {
    ...propertiesOf(commonOptions, names),
    steps: {
      description:
        'The imports by their names. They run in this order, except that what a step needs runs first',
      examples: [{ organizations: { source: 'companies.csv', mapping: 'organizations.yaml' } }],
      type: 'object',
      minProperties: 1,
      additionalProperties: stepJsonSchema(propertiesOf(stepOptions, names)),
    },
  },
  required: ['steps'],
  additionalProperties: false,
})

const text = { type: 'string', minLength: 1 }
const oneOrMore = { anyOf: [text, { type: 'array', items: text, minItems: 1 }] }

const stepJsonSchema = options => ({
  type: 'object',
  properties: {
    source: {
      description: 'The file to import, or a list of files, relative to the plan',
      examples: ['companies.csv', ['people-a.csv', 'people-b.csv']],
      ...oneOrMore,
    },
    ...options,
    mapping: {
      description: 'The mapping file, relative to the plan, or preset:NAME',
      examples: ['organizations.yaml', 'preset:salesforce-accounts'],
      ...text,
    },
    results: {
      description: 'The result log of this step, relative to the plan; by default <step>.results.ndjson',
      examples: ['organizations.results.ndjson'],
      ...text,
    },
    needs: {
      description: 'The steps that must be done before this one; those that its lookups name are known',
      examples: [['organizations']],
      ...oneOrMore,
    },
  },
  required: ['source', 'mapping'],
  additionalProperties: false,
})

const propertiesOf = (options, { flagOf, responseRules }) =>
  Object.fromEntries(
    options.map(([name, option]) => [
      flagOf(name),
      {
        description: option.text.replaceAll('`', ''),
        ...(option.default !== undefined && { default: option.default }),
        examples: [option.kind === 'flag' ? true : notes[name]?.example],
        ...typeOf(option, responseRules),
      },
    ]),
  )

function typeOf(option, responseRules) {
  switch (option.kind) {
    case 'flag':
      return { type: 'boolean' }
    case 'choice':
      return { enum: option.values }
    case 'count':
      return { type: 'integer', minimum: option.least, ...maximum(option) }
    case 'number':
      return {
        type: 'number',
        ...(option.least === undefined ? { exclusiveMinimum: 0 } : { minimum: option.least }),
        ...maximum(option),
      }
    case 'rows_or_share':
      return { type: ['integer', 'string'], minimum: 0, pattern: '^\\d+(\\.\\d+%|%)?$' }
    case 'share':
      return { type: 'string', pattern: '^\\d+(\\.\\d+)?%$' }
    case 'duration':
      return { type: ['number', 'string'], minimum: 0, pattern: '^\\d+(\\.\\d+)?[smh]?$' }
    case 'version':
      return { type: ['string', 'number'], pattern: '^[\\w.-]+$' } // 1.0 stays as it was written
    case 'rules':
      return jsonSchemaOf(responseRules)
    default:
      return text
  }
}

const notes = parse(readFileSync(new URL('option-notes.yaml', import.meta.url), 'utf8'))

const maximum = ({ most }) => (most === undefined ? {} : { maximum: most })

const node = { $ref: '#/$defs/node' }

/** Of mapping files. */
export function mappingJsonSchema({ mappingSchema, ruleSchema, ruleMarks, kinds, ...schemas }) {
  const mapping = withWords(jsonSchemaOf(mappingSchema))
  const { body, ...properties } = mapping.properties
  return {
    ...draft,
    title: 'A mapping file of rowlift',
    ...mapping,
    properties: { ...properties, body: { ...descriptionOf(body), type: 'object' } },
    allOf: Object.entries(kinds).map(([record, { request }]) => ({
      if: { properties: { record: { const: record } }, required: ['record'] },
      // biome-ignore lint/suspicious/noThenProperty: it is a word of JSON Schema
      then: {
        properties: { body: fieldsOf(request(), schemas) },
      },
    })),
    $defs: { node: nodeSchema(ruleMarks), rule: ruleJsonSchema(ruleSchema, ruleMarks) },
  }
}

const descriptionOf = ({ description, examples } = {}) => ({ description, examples })

function jsonSchemaOf(schema) {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io: 'input' })
  return rest
}

const words = parse(readFileSync(new URL('mapping-keys.yaml', import.meta.url), 'utf8'))

/** The same schema with the description and the examples of each key. */
function withWords(schema, path = '') {
  if (typeof schema !== 'object' || schema === null) return schema
  if (Array.isArray(schema)) return schema.map(each => withWords(each, path))
  const described = ([name, key]) => {
    const at = path === '' ? name : `${path}.${name}`
    return [name, { ...withWords(key, at), ...words[at] }]
  }
  return Object.fromEntries(
    Object.entries(schema).map(([name, part]) => [
      name,
      name === 'properties' ? Object.fromEntries(Object.entries(part).map(described)) : withWords(part, path),
    ]),
  )
}

function ruleJsonSchema(ruleSchema, ruleMarks) {
  const rule = withWords(jsonSchemaOf(ruleSchema), 'rule')
  const { properties } = rule
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
function nodeSchema(ruleMarks) {
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
function fieldsOf(schema, schemas) {
  const { innerSchema, requiredFields } = schemas
  const inner = innerSchema(schema)
  if (inner instanceof z.ZodObject) {
    const fields = Object.entries(inner.shape).map(([name, field]) => [name, fieldsOf(field, schemas)])
    const required = requiredFields(inner.shape)
    const object = { properties: Object.fromEntries(fields), ...(required.length > 0 && { required }) }
    return { anyOf: [{ $ref: '#/$defs/rule' }, object] }
  }
  if (inner instanceof z.ZodArray)
    return {
      anyOf: [{ $ref: '#/$defs/rule' }, { type: 'array', items: fieldsOf(inner.element, schemas) }],
    }
  return node
}

/** Of the summary file. */
export function summaryJsonSchema(summarySchema) {
  const { $schema, ...schema } = z.toJSONSchema(summarySchema, {
    override({ jsonSchema }) {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
    },
  })
  return { $schema, title: 'The summary that rowlift import --summary writes', ...schema }
}
