import { z } from 'zod'
import { type Option, schemaOf } from '../option-values.ts'
import { flagOf, importOptions } from '../options.ts'

const optionsIn = (...places: readonly Option['inPlan'][]): readonly (readonly [string, Option])[] =>
  Object.entries<Option>(importOptions).filter(([, { inPlan }]) => places.includes(inPlan))

export const ownOptions = optionsIn('step')
export const stepOptions = optionsIn('step', undefined)
/** The options that all steps share; a step can override them. */
export const commonOptions = optionsIn('common', undefined)

const shapeOf = (options: typeof stepOptions): Readonly<Record<never, z.ZodType>> =>
  Object.fromEntries(options.map(([name, option]) => [flagOf(name), schemaOf(option).optional()]))

const path = z.string('must be the path of a file').min(1, 'must be the path of a file')
const oneOrMore = (error: string) =>
  z.union([path.transform(one => [one]), z.array(path).min(1, error)], { error })

const noSteps =
  'must hold at least one step by its name, such as people: { source: people.csv, mapping: people.yaml }'

const stepSchema = z.strictObject(
  {
    source: oneOrMore('must be the path of a file, or a list of them'),
    ...shapeOf(stepOptions),
    mapping: path,
    results: path.optional(),
    needs: oneOrMore('must be the name of a step, or a list of them').optional(),
  },
  { error: 'a step holds source, mapping and options, such as { source: people.csv, mapping: people.yaml }' },
)

export const planSchema = z.strictObject(
  {
    ...shapeOf(commonOptions),
    steps: z
      .record(z.string(), stepSchema, { error: noSteps })
      .refine(steps => Object.keys(steps).length > 0, noSteps),
  },
  { error: 'a plan holds steps: and options for all of them, such as concurrency: 20' },
)

const flagsOf = (options: typeof stepOptions) => options.map(([name]) => flagOf(name))

/** The keys that are known at a path of the plan file, for suggestions. */
export function knownKeysAt([top, , inStep]: readonly (string | number)[]): readonly string[] {
  if (top === undefined) return [...flagsOf(commonOptions), 'steps']
  return inStep === undefined ? ['source', 'needs', ...flagsOf(stepOptions)] : []
}
