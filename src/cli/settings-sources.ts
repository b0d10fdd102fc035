import { readFile } from 'node:fs/promises'
import type { Option, Options } from '../app/options.ts'
import { type Ports, pathIn } from '../app/ports.ts'
import {
  type FilePart,
  type SettingSources,
  type Settings,
  type SettingValue,
  settingsIn,
} from '../app/settings.ts'
import { LocatedYaml, nearest } from '../mapping/located-yaml.ts'
import { reasonOf, UsageError } from '../model/errors.ts'
import { fileProblem } from '../model/problem.ts'

const variableOf = (option: string) => `ROWLIFT_${option.toUpperCase().replaceAll('-', '_')}`

/**
 * What was given for each option: a flag beats the environment beats the settings file (DESIGN 1), in which `parts` may stand
 * beside the options. The file is read once, for it may be a pipe. Throws a UsageError that tells its faults.
 */
export async function readSettings(
  options: Options,
  flags: Readonly<Record<string, unknown>>,
  context: Pick<Ports, 'environment' | 'cwd'>,
  parts: Readonly<Record<string, FilePart>> = {},
): Promise<SettingSources> {
  const located = (given: Settings): Settings =>
    new Map([...given].map(([option, each]) => [option, locatedIn(context, options[option], each)]))
  const outside = located(givenOutside(Object.keys(options), flags, context.environment))
  return { outside, inFile: located(await givenInFile(outside.get('config'), Object.keys(options), parts)) }
}

const locatedIn = (
  context: Pick<Ports, 'cwd'>,
  option: Option | undefined,
  given: SettingValue,
): SettingValue =>
  option?.isPath && typeof given.value === 'string'
    ? { ...given, value: pathIn(context, given.value) }
    : given

/** A flag beats the environment. */
function givenOutside(
  options: readonly string[],
  flags: Readonly<Record<string, unknown>>,
  environment: Readonly<Record<string, string | undefined>>,
): Settings {
  const given = new Map<string, SettingValue>()
  for (const option of options) {
    const variable = variableOf(option)
    if (flags[option] !== undefined) given.set(option, { value: flags[option], from: `--${option}` })
    else if (environment[variable]) given.set(option, { value: environment[variable], from: variable })
  }
  return given
}

/** What the settings file says, if one was named. */
async function givenInFile(
  config: SettingValue | undefined,
  options: readonly string[],
  parts: Readonly<Record<string, FilePart>>,
): Promise<Settings> {
  const file = config?.value
  return typeof file === 'string' ? settingsIn(file, await settingsFile(file, options, parts)) : new Map()
}

async function settingsFile(
  file: string,
  options: readonly string[],
  parts: Readonly<Record<string, FilePart>>,
): Promise<Readonly<Record<string, unknown>>> {
  const text = await readFile(file, 'utf8').catch(error => {
    throw new UsageError('unreadable', { what: 'settings file', path: file, reason: reasonOf(error) })
  })
  const yaml = new LocatedYaml(file, text, Object.keys(parts))
  const content = yaml.content ?? {}
  if (typeof content !== 'object' || Array.isArray(content)) {
    yaml.fault([], fileProblem('no_settings'))
    yaml.throwIfFaulty()
  }
  const known = [...options, ...Object.keys(parts)]
  for (const [key, value] of Object.entries(content))
    if (!known.includes(key) || key === 'config')
      yaml.fault([key], fileProblem('unknown_setting', { key, suggestion: nearest(key, known) }), 'key')
    else if (value !== null) checkPart(yaml, key, value, parts[key])
  yaml.throwIfFaulty()
  return content as Readonly<Record<string, unknown>>
}

/** Tells what is wrong in a part where it stands; its value is taken with all others by checkGiven. */
function checkPart(yaml: LocatedYaml, key: string, value: unknown, part: FilePart | undefined): void {
  const checked = part?.schema.safeParse(value)
  if (checked?.success === false) yaml.faultsOf(checked.error, [key], () => part?.keys ?? [])
}
