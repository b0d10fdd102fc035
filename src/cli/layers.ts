import { readFile } from 'node:fs/promises'
import type { z } from 'zod'
import { didYouMean, LocatedYaml } from '../mapping/located-yaml.ts'
import { mappingFaults } from '../model/mapping-faults.ts'
import { usageErrors } from '../model/usage-errors.ts'

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

const variableOf = (option: string) => `ROWLIFT_${option.toUpperCase().replaceAll('-', '_')}`

/**
 * What was given for each option: a flag beats the environment beats the settings file (DESIGN 1), in which `parts` may stand
 * beside the options.
 */
export async function layered(
  options: readonly string[],
  flags: Readonly<Record<string, unknown>>,
  environment: Readonly<Record<string, string | undefined>>,
  parts: Readonly<Record<string, FilePart>> = {},
): Promise<ReadonlyMap<string, Given>> {
  const given = new Map<string, Given>()
  for (const option of options) {
    const variable = variableOf(option)
    if (flags[option] !== undefined) given.set(option, { value: flags[option], from: `--${option}` })
    else if (environment[variable]) given.set(option, { value: environment[variable], from: variable })
  }
  const file = given.get('config')?.value
  for (const [option, value] of Object.entries(
    typeof file === 'string' ? await settingsFile(file, options, parts) : {},
  ))
    if (value !== null && !given.has(option)) given.set(option, { value, from: `${option} in ${file}` })
  return given
}

async function settingsFile(
  file: string,
  options: readonly string[],
  parts: Readonly<Record<string, FilePart>>,
): Promise<Readonly<Record<string, unknown>>> {
  const text = await readFile(file, 'utf8').catch(error => {
    throw usageErrors.unreadable('settings file', file, error)
  })
  const yaml = new LocatedYaml(file, text)
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
export function checkGiven<S extends z.ZodObject>(schema: S, given: ReadonlyMap<string, Given>): z.infer<S> {
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
