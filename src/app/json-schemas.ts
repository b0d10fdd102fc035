import { jsonSchemaOf } from '../mapping/json-schema.ts'
import { commonOptions, stepOptions } from './migration/plan-file.ts'
import type { Option } from './option-values.ts'
import { flagOf, importOptions } from './options.ts'
import { responseRules } from './response-rules.ts'

// The JSON Schemas of settings files and plans, for editors; `npm run schema` writes them to config/.

type JsonSchema = Readonly<Record<string, unknown>>

const draft = { $schema: 'https://json-schema.org/draft/2020-12/schema' }

export const settingsJsonSchema = (): JsonSchema => ({
  ...draft,
  title: 'A settings file of rowlift',
  type: 'object',
  properties: propertiesOf(Object.entries<Option>(importOptions).filter(([name]) => name !== 'config')),
  additionalProperties: false,
})

export const planJsonSchema = (): JsonSchema => ({
  ...draft,
  title: 'A plan of rowlift: a migration as one file',
  type: 'object',
  properties: {
    ...propertiesOf(commonOptions),
    steps: {
      description:
        'The imports by their names. They run in this order, except that what a step needs runs first',
      examples: [{ organizations: { source: 'companies.csv', mapping: 'organizations.yaml' } }],
      type: 'object',
      minProperties: 1,
      additionalProperties: stepJsonSchema(),
    },
  },
  required: ['steps'],
  additionalProperties: false,
})

const text = { type: 'string', minLength: 1 } as const
const oneOrMore = { anyOf: [text, { type: 'array', items: text, minItems: 1 }] }

const stepJsonSchema = (): JsonSchema => ({
  type: 'object',
  properties: {
    source: {
      description: 'The file to import, or a list of files, relative to the plan',
      examples: ['companies.csv', ['people-a.csv', 'people-b.csv']],
      ...oneOrMore,
    },
    ...propertiesOf(stepOptions),
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

const propertiesOf = (options: readonly (readonly [string, Option])[]): JsonSchema =>
  Object.fromEntries(
    options.map(([name, option]) => [
      flagOf(name),
      {
        description: option.text.replaceAll('`', ''),
        ...(option.default !== undefined && { default: option.default }),
        examples: [option.example],
        ...typeOf(option),
      },
    ]),
  )

function typeOf(option: Option): JsonSchema {
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

const maximum = ({ most }: { readonly most?: number }) => (most === undefined ? {} : { maximum: most })
