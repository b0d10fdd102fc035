import { nearest } from '../model/did-you-mean.ts'
import { fileProblem } from '../model/problem.ts'
import { readUserFile } from '../model/user-file.ts'
import type { ProcessInfo } from '../platform/process-info.ts'
import { LocatedYaml, plainWords } from './located-yaml.ts'
import type { Options, OptionValues } from './option-values.ts'
import { flagOf, ledgerOptions } from './options.ts'
import { responseRules, ruleKeys } from './response-rules.ts'
import {
  locatePaths,
  mergeSettings,
  parseSettings,
  type SettingSources,
  type Settings,
  type SettingValue,
  settingsIn,
} from './settings.ts'

/** A flag beats the environment, which beats the settings file. Throws a UsageError with all faults of the file. */
export async function readSettings(
  options: Options,
  flags: Readonly<Record<string, unknown>>,
  context: Pick<ProcessInfo, 'environment' | 'cwd'>,
): Promise<SettingSources> {
  const outside = locatePaths(givenOutside(options, flags, context.environment), options, context)
  const file = outside.get('config')?.value
  const inFile = typeof file === 'string' ? settingsIn(file, await readFileOf(file, options)) : new Map()
  return { outside, inFile }
}

/** Checks flags if no other settings are read, but for the ledger and its import, which the environment may name. Throws a UsageError that names each bad one. */
export function parseFlags<T extends Options>(
  options: T,
  flags: Readonly<Record<string, unknown>>,
  context: Pick<ProcessInfo, 'cwd' | 'environment'>,
): OptionValues<T> {
  const given = Object.entries(flags).map(
    ([option, value]) => [option, { value, from: `--${flagOf(option)}` }] as const,
  )
  const named = 'ledger' in options ? givenOutside(ledgerOptions, flags, context.environment) : new Map()
  return parseSettings(options, mergeSettings(named, locatePaths(new Map(given), options, context)))
}

const variableOf = (option: string) => `ROWLIFT_${flagOf(option).toUpperCase().replaceAll('-', '_')}`

function givenOutside(
  options: Options,
  flags: Readonly<Record<string, unknown>>,
  environment: Readonly<Record<string, string | undefined>>,
): Settings {
  const given = new Map<string, SettingValue>()
  for (const [option, { kind }] of Object.entries(options)) {
    const variable = variableOf(option)
    if (kind === 'rules') continue // only a file can hold them
    if (flags[option] !== undefined) given.set(option, { value: flags[option], from: `--${flagOf(option)}` })
    else if (environment[variable]) given.set(option, { value: environment[variable], from: variable })
  }
  return given
}

async function readFileOf(file: string, options: Options): Promise<object> {
  const yaml = new LocatedYaml(file, `${await readUserFile('settings file', file)}`, ['responses'])
  const content = yaml.content ?? {}
  if (typeof content !== 'object' || Array.isArray(content)) {
    yaml.fault([], fileProblem('not_settings'))
    yaml.throwIfFaulty()
  }
  const known = Object.keys(options).map(flagOf)
  for (const [key, value] of Object.entries(content))
    if (!known.includes(key) || key === 'config')
      yaml.fault([key], fileProblem('unknown_setting', { key, suggestion: nearest(key, known) }), 'key')
    else if (key === 'responses' && value !== null) checkRules(yaml, value)
  yaml.throwIfFaulty()
  return content
}

/** Adds faults of rules at their lines; the value is checked once more with all others. */
function checkRules(yaml: LocatedYaml, rules: unknown): void {
  const checked = responseRules.safeParse(rules, plainWords)
  if (!checked.success) yaml.faultsOf(checked.error, ['responses'], () => ruleKeys)
}
