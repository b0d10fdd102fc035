import { dirname } from 'node:path'
import { UsageError } from '../model/errors.ts'
import { type ProcessInfo, pathIn } from '../platform/process-info.ts'
import { type Options, type OptionValues, schemaOfAll } from './option-values.ts'
import { flagOf, importOptions, optionOf } from './options.ts'

export type ImportSettings = OptionValues<typeof importOptions>

export interface SettingValue {
  readonly value: unknown
  /** As an error names it: `--rate`, `ROWLIFT_RATE`, or `rate in settings.yaml`. */
  readonly from: string
}

export type Settings = ReadonlyMap<string, SettingValue>

/** The first layer that has an option wins. */
export const mergeSettings = (...layers: readonly Settings[]): Settings =>
  new Map(layers.toReversed().flatMap(layer => [...layer]))

export interface SettingSources {
  readonly outside: Settings
  readonly inFile: Settings
}

/** The options in a part of a file, by the names of flags; null is no value. Paths are relative to the file. */
export function settingsIn(file: string, content: object): Settings {
  const given = Object.entries(content)
    .filter(([, value]) => value !== null)
    .map(([flag, value]) => [optionOf(flag), { value, from: `${flag} in ${file}` }] as const)
  return locatePaths(new Map(given), importOptions, { cwd: dirname(file) })
}

export const locatePaths = (given: Settings, options: Options, context: Pick<ProcessInfo, 'cwd'>): Settings =>
  new Map(
    [...given].map(([option, { value, from }]) => {
      const isPath = options[option]?.kind === 'path' && typeof value === 'string'
      return [option, { value: isPath ? pathIn(context, value) : value, from }]
    }),
  )

/** Checks values by the table of their options. Throws a UsageError that names the origin of each bad value. */
export function parseSettings<T extends Options>(options: T, given: Settings): OptionValues<T> {
  const checked = schemaOfAll(options).safeParse(
    Object.fromEntries([...given].map(([option, { value }]) => [option, value])),
  )
  if (checked.success) return checked.data
  throw new UsageError('bad_values', {
    faults: checked.error.issues.map(issue => {
      const option = String(issue.path[0])
      return [given.get(option)?.from ?? `--${flagOf(option)}`, issue.message] as const
    }),
  })
}
