import type { z } from 'zod'
import { UsageError } from '../model/errors.ts'

/** The value of an option as it was written, and where. */
export interface SettingValue {
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
export type Settings = ReadonlyMap<string, SettingValue>

/** What counts of several layers: for each option what the first of them says that has it. */
export const mergeSettings = (...layers: readonly Settings[]): Settings =>
  new Map(layers.toReversed().flatMap(layer => [...layer]))

/** Where options were given: outside of files, which counts more, and in the settings file. */
export interface SettingSources {
  readonly outside: Settings
  readonly inFile: Settings
}

/** The options that a part of a file gives; one that holds nothing is not given. */
export const settingsIn = (file: string, options: object): Settings =>
  new Map(
    Object.entries(options)
      .filter(([, value]) => value !== null)
      .map(([option, value]) => [option, { value, from: `${option} in ${file}` }]),
  )

/** Checks the flags of a command that takes nothing else. Throws a UsageError that names each bad one. */
export const parseFlags = <S extends z.ZodObject>(
  schema: S,
  flags: Readonly<Record<string, unknown>>,
): z.infer<S> =>
  parseSettings(
    schema,
    new Map(Object.entries(flags).map(([option, value]) => [option, { value, from: `--${option}` }])),
  )

/** Checks what was given by a schema. Throws a UsageError that names where each bad value was given. */
export function parseSettings<S extends z.ZodObject>(schema: S, given: Settings): z.infer<S> {
  const checked = schema.safeParse(
    Object.fromEntries([...given].map(([option, { value }]) => [option, value])),
  )
  if (checked.success) return checked.data
  throw new UsageError('wrong_values', {
    faults: checked.error.issues.map(issue => {
      const option = String(issue.path[0])
      return [given.get(option)?.from ?? `--${option}`, issue.message] as const
    }),
  })
}
