import { z } from 'zod'
import { standardInput } from '../../input/source.ts'
import { fileProblem } from '../../model/problem.ts'
import { readUserFile } from '../../model/user-file.ts'
import { isObject, type JsonObject } from '../../model/values.ts'
import { resolveBeside } from '../../run/paths.ts'
import { LocatedYaml, plainWords } from '../../settings/located-yaml.ts'
import { type Option, schemaOf } from '../../settings/option-values.ts'
import { flagOf, importOptions } from '../../settings/options.ts'
import { ruleKeys } from '../../settings/response-rules.ts'
import { settingsIn } from '../../settings/settings.ts'

export type PlanFile = Awaited<ReturnType<typeof readPlan>>

/** Reads a plan. Throws a UsageError with every fault, its file, line and column. */
export async function readPlan(path: string) {
  const yaml = new LocatedYaml(path, `${await readUserFile('plan', path)}`, ['responses'])
  const { steps, ...common } = checkContent(yaml)
  return {
    path,
    yaml,
    common: settingsIn(path, common),
    steps: Object.entries(steps).map(([name, step]) => stepOf(name, step, path)),
  }
}

type Content = JsonObject & { readonly steps: Readonly<Record<string, JsonObject>> }

/** Checks the content; the values of options stay as they were written. */
function checkContent(yaml: LocatedYaml): Content {
  const content = yaml.content as Content
  const checked = planSchema.safeParse(content, plainWords)
  if (!checked.success)
    yaml.faultsOf(checked.error, [], path => (path[0] === 'responses' ? ruleKeys : knownKeysAt(path)))
  for (const [name, step] of Object.entries(isObject(content?.steps) ? content.steps : {})) {
    if (!isStepName(name)) yaml.fault(['steps', name], fileProblem('bad_step_name', { name }), 'key')
    for (const part of ['source', 'results'])
      for (const [at, path] of [step?.[part]].flat().entries())
        if (path === standardInput)
          // a stream can be read only once, and cannot be resumed
          yaml.fault(['steps', name, part, at], fileProblem('stream_in_plan', { part }))
  }
  yaml.throwIfFaulty()
  return content
}

/** Files are named after steps; names that are numbers would lose their place in JavaScript objects. */
const isStepName = (name: string) =>
  /^(?!\s|\.)[^\p{Cc}/\\]{1,100}(?<!\s)$/u.test(name) && !/^\d+$/.test(name)

export type StepInFile = ReturnType<typeof stepOf>

/** Paths are as this process finds the files. */
function stepOf(name: string, { source, needs, ...options }: JsonObject, plan: string) {
  return {
    name,
    sources: [source].flat().map(path => resolveBeside(plan, String(path))),
    needs: [needs ?? []].flat().map(String),
    options: settingsIn(plan, { ...options, results: options.results ?? `${name}.results.ndjson` }),
  }
}

const optionsIn = (...places: readonly Option['inPlan'][]): readonly (readonly [string, Option])[] =>
  Object.entries<Option>(importOptions).filter(([, { inPlan }]) => places.includes(inPlan))

export const ownOptions = optionsIn('step')
export const stepOptions = optionsIn('step', undefined)
/** The options that all steps share; a step can override them. */
export const commonOptions = optionsIn('common', undefined)

const shapeOf = (options: typeof stepOptions): Readonly<Record<never, z.ZodType>> =>
  Object.fromEntries(options.map(([name, option]) => [flagOf(name), schemaOf(option).nullish()]))

const path = z.string('must be the path of a file').min(1, 'must be the path of a file')
const oneOrMore = (error: string) =>
  z.union([path.transform(one => [one]), z.array(path).min(1, error)], { error })

const mostSteps = 100
const noSteps =
  'must hold at least one step by its name, such as people: { source: people.csv, mapping: people.yaml }'

const stepSchema = z.strictObject(
  {
    source: oneOrMore('must be the path of a file, or a list of them'),
    ...shapeOf(stepOptions),
    mapping: path,
    results: path.nullish(),
    needs: oneOrMore('must be the name of a step, or a list of them').nullish(),
  },
  { error: 'a step holds source, mapping and options, such as { source: people.csv, mapping: people.yaml }' },
)

const planSchema = z.strictObject(
  {
    ...shapeOf(commonOptions),
    steps: z
      .record(z.string(), stepSchema, { error: noSteps })
      .refine(steps => Object.keys(steps).length > 0, noSteps)
      .refine(steps => Object.keys(steps).length <= mostSteps, `must hold at most ${mostSteps} steps`),
  },
  { error: 'a plan holds steps: and options for all of them, such as concurrency: 20' },
)

const flagsOf = (options: typeof stepOptions) => options.map(([name]) => flagOf(name))

/** Returns the keys that a path of the plan file may have, for suggestions. */
function knownKeysAt([top, , inStep]: readonly (string | number)[]): readonly string[] {
  if (top === undefined) return [...flagsOf(commonOptions), 'steps']
  return inStep === undefined ? ['source', 'needs', ...flagsOf(stepOptions)] : []
}
