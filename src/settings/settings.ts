import { dirname } from 'node:path'
import { nearest } from '../model/did-you-mean.ts'
import { UsageError } from '../model/errors.ts'
import { fileProblem } from '../model/problem.ts'
import { readUserFile } from '../model/user-file.ts'
import { type ProcessInfo, pathIn } from '../platform/process-info.ts'
import { LocatedYaml, plainWords } from './located-yaml.ts'
import { type Options, type OptionValues, schemaOfAll } from './option-values.ts'
import { flagOf, importOptions, ledgerOptions, optionOf } from './options.ts'
import { responseRules, ruleKeys } from './response-rules.ts'

export type ImportSettings = OptionValues<typeof importOptions>

export interface SettingValue {
  readonly value: unknown
  /** Its origin as an error names it: `--rate`, `ROWLIFT_RATE`, or `rate in settings.yaml`. */
  readonly from: string
}

export type Settings = ReadonlyMap<string, SettingValue>

/** The first layer that has an option wins. */
export const mergeSettings = (...layers: readonly Settings[]): Settings =>
  new Map(layers.toReversed().flatMap(layer => [...layer]))

export type SettingSources = Awaited<ReturnType<typeof readSettings>>

type Place = Pick<ProcessInfo, 'environment' | 'cwd'>
type Flags = Readonly<Record<string, unknown>>

/** Reads flags and variables, and the settings file, which they beat. Throws a UsageError with all faults of the file. */
export async function readSettings(options: Options, flags: Flags, place: Place) {
  const outside = settingsOutside(options, flags, place)
  const file = outside.get('config')?.value
  const inFile: Settings =
    typeof file === 'string' ? settingsIn(file, await readFileOf(file, options)) : new Map()
  return { outside, inFile }
}

/** Checks flags; of the environment only a ledger and its import count. Throws a UsageError that names each bad value. */
export function parseFlags<T extends Options>(options: T, flags: Flags, place: Place): OptionValues<T> {
  const named = 'ledger' in options ? settingsOutside(ledgerOptions, flags, place) : new Map()
  const fromFlags = settingsOutside(options, flags, { ...place, environment: {} })
  return parseSettings(options, mergeSettings(named, fromFlags))
}

function settingsOutside(options: Options, flags: Flags, { environment, cwd }: Place): Settings {
  const entries = Object.entries(options).flatMap(([option, { kind }]) => {
    const flag = `--${flagOf(option)}`
    const variable = `ROWLIFT_${flagOf(option).toUpperCase().replaceAll('-', '_')}`
    const isFlag = flags[option] !== undefined
    const [value, from] = isFlag ? [flags[option], flag] : [environment[variable] || undefined, variable]
    if (value === undefined || kind === 'rules') return [] // only a file can hold rules
    return [[option, { value, from }] as const]
  })
  return locatePaths(entries, options, cwd)
}

/** The options in a part of a file, by the names of flags; null is no value. Paths are relative to the file. */
export function settingsIn(file: string, content: object): Settings {
  const entries = Object.entries(content)
    .filter(([, value]) => value !== null)
    .map(([flag, value]) => [optionOf(flag), { value, from: `${flag} in ${file}` }] as const)
  return locatePaths(entries, importOptions, dirname(file))
}

/** Makes paths relative to the folder in which they were written. */
function locatePaths(entries: Iterable<readonly [string, SettingValue]>, options: Options, cwd?: string) {
  const located = new Map(entries)
  for (const [option, { value, from }] of located)
    if (options[option]?.kind === 'path' && typeof value === 'string')
      located.set(option, { value: pathIn({ cwd }, value), from })
  return located
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
    else if (key === 'responses' && value !== null) {
      const { error } = responseRules.safeParse(value, plainWords) // checked once more with all other values
      if (error !== undefined) yaml.faultsOf(error, ['responses'], () => ruleKeys)
    }
  yaml.throwIfFaulty()
  return content
}

/** Checks values by the table of their options. Throws a UsageError that names the origin of each bad value. */
export function parseSettings<T extends Options>(options: T, settings: Settings): OptionValues<T> {
  const values = [...settings].map(([option, { value }]) => [option, value])
  const checked = schemaOfAll(options).safeParse(Object.fromEntries(values))
  if (checked.success) return checked.data
  throw new UsageError('bad_values', {
    faults: checked.error.issues.map(issue => {
      const option = String(issue.path[0])
      return [settings.get(option)?.from ?? `--${flagOf(option)}`, issue.message] as const
    }),
  })
}
