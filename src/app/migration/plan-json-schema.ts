import { z } from 'zod'
import { jsonSchemaOf } from '../../mapping/json-schema.ts'
import { importSettings } from '../import-settings.ts'
import { commonOptions, type Option, stepOptions } from './plan-options.ts'
import { planSchema } from './plan-schema.ts'

type JsonSchema = Record<string, unknown>
type Properties = Record<string, JsonSchema>

/** The JSON Schema of the plan file, made of the zod schema that checks it: for completion and checks in editors. */
export function planJsonSchema(): JsonSchema {
  const plan = jsonSchemaOf(planSchema)
  const { steps, ...common } = plan.properties as Properties
  const step = steps?.additionalProperties as JsonSchema
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'A plan of rowlift: a migration as one file',
    ...plan,
    properties: {
      ...withTypes(common, commonOptions),
      steps: {
        ...steps,
        minProperties: 1,
        additionalProperties: {
          ...step,
          properties: withTypes(step.properties as Properties, stepOptions),
        },
      },
    },
  }
}

/** Words and numbers are known by what they are in the end: the command line gives all options as text. */
function withTypes(properties: Properties, options: readonly Option[]): Properties {
  const typed = options.map(option => {
    const { description, examples, ...given } = properties[option] ?? {}
    const {
      $schema,
      default: _,
      ...made
    } = z.toJSONSchema(importSettings.shape[option], {
      io: 'output',
      unrepresentable: 'any',
    })
    return [option, { description, examples, ...('type' in made ? made : given) }] as const
  })
  return { ...properties, ...Object.fromEntries(typed) }
}
