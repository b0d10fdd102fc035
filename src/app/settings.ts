import { UsageError } from '../model/errors.ts'
import { type Options, type OptionValues, schemaOfAll } from './option-values.ts'
import { flagOf, type importOptions, optionOf } from './options.ts'

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

/** The options in a part of a file, by the names of flags; null is no value. */
export const settingsIn = (file: string, options: object): Settings =>
  new Map(
    Object.entries(options)
      .filter(([, value]) => value !== null)
      .map(([flag, value]) => [optionOf(flag), { value, from: `${flag} in ${file}` }]),
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
