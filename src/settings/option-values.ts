import { z } from 'zod'
import { rowsOrShare } from '../model/expectations.ts'
import { isKnownEncoding } from '../model/package.ts'
import { databaseUrl } from '../model/secrets.ts'
import { nilUuid } from '../model/values.ts'
import { responseRules } from './response-rules.ts'

/** A number of `least` or more, above 0 without it; of `most` or less. */
interface Range {
  readonly least?: number
  readonly most?: number
}

/** An option as data: help and completion need not load the code that checks values. */
type OptionType =
  | { readonly kind: 'flag' | 'text' | 'url' | 'version' | 'delimiter' | 'encoding' | 'uuid' }
  /** A value that is refused, such as `-`. */
  | { readonly kind: 'path'; readonly not?: string }
  /** The URL of a database, and the name of an import in it. */
  | { readonly kind: 'ledger' | 'name' }
  | { readonly kind: 'choice'; readonly values: readonly [string, ...string[]] }
  | ({ readonly kind: 'count' | 'number' } & Range)
  /** A percentage such as 80%. */
  | { readonly kind: 'share'; readonly most?: number }
  /** A number of rows or a share; a time such as 2h, in seconds; `COLUMN=PATH`, once or several times; rules, which only a file can hold. */
  | { readonly kind: 'rows_or_share' | 'duration' | 'pairs' | 'rules' }

/** An option. Its name in the table, in camelCase, makes its flag, its variable and its key in the settings file. */
export type Option = OptionType & {
  readonly alias?: string
  /** A word for its value in help, if the kind is not clear enough. */
  readonly placeholder?: string
  /** Text for help, editors and the reference; words in backticks are typed as they are. scripts/option-notes.yaml has examples. */
  readonly text: string
  readonly group?: string
  readonly default?: boolean | number | string | readonly []
  /** Text that is shown if the default is not constant. */
  readonly defaultText?: string
  /** Its place in a plan: a step, the common part, both (the default), or none. */
  readonly inPlan?: 'step' | 'common' | 'never'
  /** Set for an option that the library does not have. */
  readonly isForCommand?: true
}

export type Options = Readonly<Record<string, Option>>

type OptionValue<O extends Option> = O extends { kind: 'choice'; values: readonly (infer V)[] }
  ? V
  : z.infer<ReturnType<(typeof schemas)[O['kind']]>>

/** A column of a file, and the path of a field in the body. */
export type Pair = z.infer<ReturnType<typeof pair>>

type Resolved<O extends Option> = O extends { readonly default: unknown }
  ? OptionValue<O>
  : OptionValue<O> | undefined

export type OptionValues<T extends Options> = { readonly [N in keyof T]: Resolved<T[N]> }

/** YAML or the command line may write a value as text, number or boolean; a repeated one is a list. */
const text = z.union([z.string(), z.number(), z.boolean()], 'must be given once').transform(String)
const name = text.refine(value => value !== '', 'must not be empty')
const matching = (pattern: RegExp, mustBe: string) => text.pipe(z.string().regex(pattern, mustBe))

const flagWord = text.pipe(z.enum(['true', 'false', '1', '0'], 'must be true or false'))
const notAName = 'must be 1 to 200 visible characters, without a blank at its ends'
const noRecord = 'is no record: a dry run writes it for ids that are not known yet'
const notAnEncoding = 'is not an encoding that is known here; try utf-8, utf-16le or windows-1252'

const pair = (mustBe: string) =>
  matching(/.=\s*[^=\s][^=]*$/, `must be ${mustBe}`)
    .transform(text => {
      const at = text.lastIndexOf('=')
      return { column: text.slice(0, at).trim(), path: text.slice(at + 1).trim() }
    })
    .readonly()

export const notRowsOrShare = 'must be a number of rows, a share such as 5%, or any'
export const rowsOrShareWord = z
  .string()
  .regex(/^(\d+(\.\d+%|%)?|any)$/, notRowsOrShare)
  .transform(rowsOrShare)

const notAShare = 'must be a share such as 80%'
export const shareWord = z
  .string(notAShare)
  .regex(/^\d+(\.\d+)?%$/, notAShare)
  .transform(Number.parseFloat)

export const delimiterWord = z
  .string()
  .min(1, 'must not be empty')
  .transform(delimiter => delimiter.replaceAll('\\t', '\t')) // a shell hardly types a tab

const unitSeconds: Readonly<Record<string, number>> = { m: 60, h: 3600 }

function number(pattern: RegExp, type: string, { least, most = Number.MAX_VALUE }: Range) {
  const bound = least === undefined ? 'above 0' : `at least ${least}`
  return matching(pattern, `must be a ${type} ${least === undefined ? '' : 'of '}${bound}`)
    .transform(Number)
    .refine(value => (least === undefined ? value > 0 : value >= least), `must be ${bound}`)
    .refine(value => value <= most, `must be at most ${most}`)
}

/** The check of each kind of option. */
const schemas = {
  flag: () => flagWord.transform(word => word === 'true' || word === '1'),
  path: ({ not }) => name.refine(value => value !== not, 'must be a file'),
  text: () => name,
  url: () => name,
  ledger: () => text.refine(databaseUrl, 'must be a URL such as postgres://user@host/database'), // without the value, which may hold a password
  name: () => matching(/^(?! )[^\p{C}\p{Zl}\p{Zp}]{1,200}(?<! )$/u, notAName),
  version: () => matching(/^[\w.-]+$/, 'must be a version such as 1.0'),
  uuid: () => text.pipe(z.guid('must be a UUID')).refine(id => id !== nilUuid, noRecord),
  choice: ({ values }) => text.pipe(z.enum(values, `must be ${values.join(' or ')}`)),
  count: option => number(/^\d+$/, 'whole number', option),
  number: option => number(/^\d*\.?\d+$/, 'number', option),
  rows_or_share: () => text.pipe(rowsOrShareWord),
  share: ({ most = Infinity }) =>
    text.pipe(shareWord).refine(share => share <= most, `must be at most ${most}%`),
  duration: () =>
    matching(/^\d+(\.\d+)?[smh]?$/, 'must be a time such as 2h, 30m or 90s')
      .transform(value => Number.parseFloat(value) * (unitSeconds[value.slice(-1)] ?? 1))
      .refine(seconds => seconds <= 2_592_000, 'must be at most 720h'),
  rules: () => responseRules,
  pairs: ({ placeholder = 'NAME=NAME' }) =>
    z.preprocess(input => [input].flat(), z.array(pair(placeholder)).readonly()),
  delimiter: () => text.pipe(delimiterWord),
  encoding: () => text.refine(isKnownEncoding, notAnEncoding),
} satisfies { readonly [K in Option['kind']]: (option: Option & { readonly kind: K }) => z.ZodType }

export const schemaOf = (option: Option): z.ZodType =>
  (schemas[option.kind] as (option: Option) => z.ZodType)(option)

const made = new WeakMap<Options, z.ZodType>()

/** The check of all values of a table, made once. */
export function schemaOfAll<T extends Options>(options: T): z.ZodType<OptionValues<T>> {
  const fields = () =>
    Object.entries(options).map(([name, option]) => {
      const schema = schemaOf(option)
      return [name, option.default === undefined ? schema.optional() : schema.default(option.default)]
    })
  const schema = made.get(options) ?? z.object(Object.fromEntries(fields()))
  made.set(options, schema)
  return schema as z.ZodType<OptionValues<T>>
}
