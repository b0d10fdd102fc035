import { UsageError } from '../model/errors.ts'
import { type Options, type OptionValues, schemaOfAll } from './option-values.ts'
import { flagOf, type importOptions, optionOf } from './options.ts'

/** The options of an import, checked. */
export type ImportSettings = OptionValues<typeof importOptions>

/** The value of an option as it was written, and where. */
export interface SettingValue {
  readonly value: unknown
  /** As an error names it: `--rate`, `ROWLIFT_RATE`, or `rate in settings.yaml`. */
  readonly from: string
}

/** Values by the names of their options. */
export type Settings = ReadonlyMap<string, SettingValue>

/** For each option the value of the first layer that has it. */
export const mergeSettings = (...layers: readonly Settings[]): Settings =>
  new Map(layers.toReversed().flatMap(layer => [...layer]))

/** Where options were given: in files, or outside of them, which wins. */
export interface SettingSources {
  readonly outside: Settings
  readonly inFile: Settings
}

/** The options in a part of a file, where they have the names of flags; one without a value is not given. */
export const settingsIn = (file: string, options: object): Settings =>
  new Map(
    Object.entries(options)
      .filter(([, value]) => value !== null)
      .map(([flag, value]) => [optionOf(flag), { value, from: `${flag} in ${file}` }]),
  )

/** Checks values by the table of their options. Throws a UsageError that says where each bad value is from. */
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
