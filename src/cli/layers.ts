import { readFile } from 'node:fs/promises'
import type { z } from 'zod'
import { didYouMean, LocatedYaml } from '../mapping/located-yaml.ts'
import { mappingFaults } from '../model/mapping-faults.ts'
import { usageErrors } from '../model/usage-errors.ts'
import type { Option, Options } from './args.ts'
import { type Context, pathIn } from './context.ts'

/** The value of an option as it was written, and where. */
export interface Given {
  readonly value: unknown
  /** As an error names it: --rate, ROWLIFT_RATE, or rate in the settings file. */
  readonly from: string
}

/** A part of the settings file that is more than a word, and stands nowhere else. */
export interface FilePart {
  readonly schema: z.ZodType
  /** The keys of the objects in it. */
  readonly keys: readonly string[]
}

/** What was given for some options. */
export type GivenOptions = ReadonlyMap<string, Given>

/** What counts of several layers: for each option what the first of them says that has it. */
export const firstOf = (...layers: readonly GivenOptions[]): GivenOptions =>
  new Map(layers.toReversed().flatMap(layer => [...layer]))

const variableOf = (option: string) => `ROWLIFT_${option.toUpperCase().replaceAll('-', '_')}`

/** Where options were given: outside of files, which counts more, and in the settings file. */
export interface Layers {
  readonly outside: GivenOptions
  readonly inFile: GivenOptions
}

/**
 * What was given for each option: a flag beats the environment beats the settings file (DESIGN 1), in which `parts` may stand
 * beside the options. The file is read once, for it may be a pipe. Throws a UsageError that tells its faults.
 */
export async function layersOf(
  options: Options,
  flags: Readonly<Record<string, unknown>>,
  context: Pick<Context, 'environment' | 'cwd'>,
  parts: Readonly<Record<string, FilePart>> = {},
): Promise<Layers> {
  const located = (given: GivenOptions): GivenOptions =>
    new Map([...given].map(([option, each]) => [option, locatedIn(context, options[option], each)]))
  const outside = located(givenOutside(Object.keys(options), flags, context.environment))
  return { outside, inFile: located(await givenInFile(outside.get('config'), Object.keys(options), parts)) }
}

const locatedIn = (context: Pick<Context, 'cwd'>, option: Option | undefined, given: Given): Given =>
  option?.isPath && typeof given.value === 'string'
    ? { ...given, value: pathIn(context, given.value) }
    : given

/** A flag beats the environment. */
function givenOutside(
  options: readonly string[],
  flags: Readonly<Record<string, unknown>>,
  environment: Readonly<Record<string, string | undefined>>,
): GivenOptions {
  const given = new Map<string, Given>()
  for (const option of options) {
    const variable = variableOf(option)
    if (flags[option] !== undefined) given.set(option, { value: flags[option], from: `--${option}` })
    else if (environment[variable]) given.set(option, { value: environment[variable], from: variable })
  }
  return given
}

/** What the settings file says, if one was named. */
async function givenInFile(
  config: Given | undefined,
  options: readonly string[],
  parts: Readonly<Record<string, FilePart>>,
): Promise<GivenOptions> {
  const file = config?.value
  return typeof file === 'string' ? givenAt(file, await settingsFile(file, options, parts)) : new Map()
}

/** The options that a part of a file gives; one that holds nothing is not given. */
export const givenAt = (file: string, options: object): GivenOptions =>
  new Map(
    Object.entries(options)
      .filter(([, value]) => value !== null)
      .map(([option, value]) => [option, { value, from: `${option} in ${file}` }]),
  )

async function settingsFile(
  file: string,
  options: readonly string[],
  parts: Readonly<Record<string, FilePart>>,
): Promise<Readonly<Record<string, unknown>>> {
  const text = await readFile(file, 'utf8').catch(error => {
    throw usageErrors.unreadable('settings file', file, error)
  })
  const yaml = new LocatedYaml(file, text, Object.keys(parts))
  const content = yaml.content ?? {}
  if (typeof content !== 'object' || Array.isArray(content)) {
    yaml.fault([], mappingFaults.noSettings())
    yaml.throwIfFaulty()
  }
  const known = [...options, ...Object.keys(parts)]
  for (const [key, value] of Object.entries(content))
    if (!known.includes(key) || key === 'config')
      yaml.fault([key], mappingFaults.unknownSetting(key, didYouMean(key, known)), 'key')
    else if (value !== null) checkPart(yaml, key, value, parts[key])
  yaml.throwIfFaulty()
  return content as Readonly<Record<string, unknown>>
}

/** Tells what is wrong in a part where it stands; its value is taken with all others by checkGiven. */
function checkPart(yaml: LocatedYaml, key: string, value: unknown, part: FilePart | undefined): void {
  const checked = part?.schema.safeParse(value)
  if (checked?.success === false) yaml.faultsOf(checked.error, [key], () => part?.keys ?? [])
}

/** Checks the flags of a command that takes nothing else. Throws a UsageError that names each bad one. */
export const checkFlags = <S extends z.ZodObject>(
  schema: S,
  flags: Readonly<Record<string, unknown>>,
): z.infer<S> =>
  checkGiven(
    schema,
    new Map(Object.entries(flags).map(([option, value]) => [option, { value, from: `--${option}` }])),
  )

/** Checks what was given by a schema. Throws a UsageError that names where each bad value was given. */
export function checkGiven<S extends z.ZodObject>(schema: S, given: GivenOptions): z.infer<S> {
  const checked = schema.safeParse(
    Object.fromEntries([...given].map(([option, { value }]) => [option, value])),
  )
  if (checked.success) return checked.data
  throw usageErrors.wrongValues(
    checked.error.issues.map(issue => {
      const option = String(issue.path[0])
      return [given.get(option)?.from ?? `--${option}`, issue.message] as const
    }),
  )
}
