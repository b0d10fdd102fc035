import { z } from 'zod'
import { explained } from '../../mapping/explained.ts'
import { responseRules } from '../response-rules.ts'
import { commonOptions, shapeOf, stepOptions } from './plan-options.ts'

const text = z.string('must be the path of a file').min(1, 'must be the path of a file')
const texts = (message: string) =>
  z.union([text.transform(one => [one]), z.array(text).min(1, message)], { error: message })

const noSteps =
  'must hold at least one step by its name, such as people: { source: people.csv, mapping: people.yaml }'

const stepSchema = z.strictObject(
  {
    source: explained(
      texts('must be the path of a file, or a list of them'),
      'The file that is imported, or a list of files, relative to the plan.',
      'companies.csv',
      ['people-a.csv', 'people-b.csv'],
    ),
    ...shapeOf(stepOptions),
    mapping: explained(
      text,
      'The mapping file, relative to the plan, or preset:NAME.',
      'organizations.yaml',
      'preset:salesforce-accounts',
    ),
    results: explained(
      text,
      'The result log of this step, relative to the plan; it is called after the step where nothing is said.',
      'organizations.results.ndjson',
    ).optional(),
    needs: explained(
      texts('must be the name of a step, or a list of them'),
      'The steps that must be done before this one begins; those that its lookups name need not be said.',
      ['organizations'],
    ).optional(),
  },
  { error: 'a step holds source, mapping and options, such as { source: people.csv, mapping: people.yaml }' },
)

/** The plan file: a migration of several imports. */
export const planSchema = z.strictObject(
  {
    ...shapeOf(commonOptions),
    responses: explained(
      responseRules.optional(),
      'What answers of the service mean, where you know it; the first rule that matches counts.',
      [{ status: 400, body: 'rate limit', means: 'throttled' }],
    ),
    steps: explained(
      z
        .record(z.string(), stepSchema, { error: noSteps })
        .refine(steps => Object.keys(steps).length > 0, noSteps),
      'The imports by their names, in the order in which they run as far as none needs a later one.',
      { organizations: { source: 'companies.csv', mapping: 'organizations.yaml' } },
    ),
  },
  { error: 'a plan holds steps: and options for all of them, such as concurrency: 20' },
)

/** The keys that are known at a path of the plan file, to suggest the one that was meant. */
export function knownKeysAt([top, , inStep]: readonly (string | number)[]): readonly string[] {
  if (top === undefined) return [...commonOptions, 'responses', 'steps']
  return inStep === undefined ? ['source', 'needs', ...stepOptions] : []
}
