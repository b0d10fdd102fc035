import { readFile } from 'node:fs/promises'
import { LocatedYaml } from '../../mapping/located-yaml.ts'
import { reasonOf, UsageError } from '../../model/errors.ts'
import { fileProblem } from '../../model/problem.ts'
import { importOptions, optionOf } from '../options.ts'
import { isPreset, resolveBeside } from '../paths.ts'
import { ruleKeys } from '../response-rules.ts'
import { type Settings, settingsIn } from '../settings.ts'
import { knownKeysAt, planSchema } from './plan-schema.ts'

/** A step as the plan says it; paths are as this process finds the files. */
export interface StepInFile {
  readonly name: string
  readonly sources: readonly string[]
  /** What the plan says that it needs. */
  readonly needs: readonly string[]
  /** Its options, mapping and result log among them. */
  readonly options: Settings
}

/** A plan file that was checked by itself. */
export interface PlanFile {
  readonly path: string
  readonly yaml: LocatedYaml
  /** The options that hold for all steps. */
  readonly common: Settings
  /** In the order of the file. */
  readonly steps: readonly StepInFile[]
}

/** Reads a plan. Throws a UsageError that tells every fault with file, line and column. */
export async function readPlan(path: string): Promise<PlanFile> {
  const text = await readFile(path, 'utf8').catch(error => {
    throw new UsageError('file_unreadable', { what: 'plan', path, reason: reasonOf(error) })
  })
  const yaml = new LocatedYaml(path, text, ['responses'])
  const { steps, ...common } = checkedContent(yaml)
  return {
    path,
    yaml,
    common: settingsIn(path, located(common, path)),
    steps: Object.entries(steps).map(([name, step]) => stepOf(name, step, path)),
  }
}

type Options = Readonly<Record<string, unknown>>
type Content = Options & { readonly steps: Readonly<Record<string, Options>> }

/** What the file says, checked; the values of options stand there as they were written. */
function checkedContent(yaml: LocatedYaml): Content {
  const content = withoutNulls(yaml.content) as Content
  const checked = planSchema.safeParse(content)
  if (!checked.success)
    yaml.faultsOf(checked.error, [], path => (path[0] === 'responses' ? ruleKeys : knownKeysAt(path)))
  const steps = typeof content?.steps === 'object' ? content.steps : {}
  for (const [name, step] of Object.entries(steps ?? {})) {
    if (!isNameOfStep(name)) yaml.fault(['steps', name], fileProblem('bad_step_name', { name }), 'key')
    for (const [part, value] of Object.entries(step ?? {})) checkNoStream(yaml, name, part, value)
  }
  yaml.throwIfFaulty()
  return content
}

/** A file is called after a step, it stands in one line, and JavaScript puts numbers before all other names. */
const isNameOfStep = (name: string) =>
  /^(?!\s|\.)[^\p{Cc}/\\]{1,100}(?<!\s)$/u.test(name) && !/^\d+$/.test(name)

/** A stream can be read once only, and not be written on by the next run. */
function checkNoStream(yaml: LocatedYaml, step: string, part: string, value: unknown): void {
  if (part !== 'source' && part !== 'results') return
  for (const [at, path] of [value].flat().entries())
    if (path === '-')
      yaml.fault(
        ['steps', step, part, ...(Array.isArray(value) ? [at] : [])],
        fileProblem('stream_in_plan', { part }),
      )
}

/** A key without a value says nothing. */
function withoutNulls(content: unknown): unknown {
  if (typeof content !== 'object' || content === null || Array.isArray(content)) return content
  const kept = Object.entries(content).filter(([, value]) => value !== null)
  return Object.fromEntries(
    kept.map(([key, value]) => [key, key === 'steps' ? stepsWithoutNulls(value) : value]),
  )
}

const stepsWithoutNulls = (steps: unknown) =>
  typeof steps === 'object' && steps !== null && !Array.isArray(steps)
    ? Object.fromEntries(
        Object.entries(steps).map(([name, step]) => [name, step === null ? {} : withoutNulls(step)]),
      )
    : steps

function stepOf(name: string, { source, needs, ...options }: Options, plan: string): StepInFile {
  return {
    name,
    sources: [source].flat().map(path => resolveBeside(plan, String(path))),
    needs: [needs ?? []].flat().map(String),
    options: settingsIn(plan, located({ results: `${name}.results.ndjson`, ...options }, plan)),
  }
}

/** The options with their paths as this process finds the files. */
const located = (options: Options, plan: string): Options =>
  Object.fromEntries(
    Object.entries(options).map(([option, value]) => [
      option,
      isPath(option, value) ? resolveBeside(plan, value) : value,
    ]),
  )

const isPath = (option: string, value: unknown): value is string =>
  importOptions[optionOf(option) as keyof typeof importOptions]?.kind === 'path' &&
  typeof value === 'string' &&
  !(option === 'mapping' && isPreset(value)) &&
  !((option === 'preview' || option === 'summary') && value === '-')
