import { z } from 'zod'
import { isKnownEncoding } from '../model/encoding.ts'
import { type RowsOrShare, rowsOrShare } from '../model/expectations.ts'
import { databaseUrl } from '../model/secrets.ts'
import { nilUuid } from '../model/values.ts'
import { type ResponseRules, responseRules } from './response-rules.ts'

/** A number of `least` or more, above 0 without it; of `most` or less. */
interface Range {
  readonly least?: number
  readonly most?: number
}

/** Data: help and completion need not load the code that checks values. */
type OptionType =
  | { readonly kind: 'flag' }
  /** A value that is refused, such as `-`. */
  | { readonly kind: 'path'; readonly not?: string }
  | { readonly kind: 'text' | 'url' | 'version' | 'delimiter' | 'encoding' }
  /** The URL of a database, and what is kept in it under a name. */
  | { readonly kind: 'ledger' | 'name' }
  | { readonly kind: 'choice'; readonly values: readonly [string, ...string[]] }
  | ({ readonly kind: 'count' | 'number' } & Range)
  /** A number of rows, or a share such as 5%. */
  | { readonly kind: 'rows_or_share' }
  /** A percentage such as 80%. */
  | { readonly kind: 'share'; readonly most?: number }
  /** A time such as 2h; its value is in seconds. */
  | { readonly kind: 'duration' }
  | { readonly kind: 'uuid' }
  /** `COLUMN=PATH`, once or several times; the column may contain `=`. */
  | { readonly kind: 'pairs' }
  /** Rules for answers, which only a file can hold. */
  | { readonly kind: 'rules' }

/** An option. Its name in the table, in camelCase, makes its flag, its variable and its key in the settings file. */
export type Option = OptionType & {
  readonly alias?: string
  /** Stands for its value, if the kind does not say enough. */
  readonly placeholder?: string
  /** Text for help, editors and the reference; words in backticks are typed as they are. scripts/option-notes.yaml has examples. */
  readonly text: string
  readonly group?: string
  readonly default?: boolean | number | string | readonly []
  /** Shown if the default is not constant. */
  readonly defaultText?: string
  /** In a step, in the common part, in both (the default), or nowhere. */
  readonly inPlan?: 'step' | 'common' | 'never'
  /** Not an option of the library. */
  readonly isForCommand?: true
}

export type Options = Readonly<Record<string, Option>>

/** The values of the kinds whose value is not a text. */
interface ValueOfKind {
  readonly flag: boolean
  readonly count: number
  readonly number: number
  readonly share: number
  readonly duration: number
  readonly rows_or_share: RowsOrShare
  readonly rules: ResponseRules
  readonly pairs: readonly Pair[]
}

type OptionValue<O extends Option> = O extends { kind: 'choice'; values: readonly (infer V)[] }
  ? V
  : O['kind'] extends keyof ValueOfKind
    ? ValueOfKind[O['kind']]
    : string

/** A column of a file, and the path of a field in the body. */
export interface Pair {
  readonly column: string
  readonly path: string
}

type Given<O extends Option> = O extends { readonly default: unknown }
  ? OptionValue<O>
  : OptionValue<O> | undefined

export type OptionValues<T extends Options> = { readonly [N in keyof T]: Given<T[N]> }

/** YAML or the command line may write a value as text, number or boolean; one that is given twice is a list. */
const text = z.union([z.string(), z.number(), z.boolean()], 'must be given once').transform(String)
const name = text.refine(value => value !== '', 'must not be empty')
const matching = (pattern: RegExp, mustBe: string) => text.pipe(z.string().regex(pattern, mustBe))

export function schemaOf(option: Option): z.ZodType {
  switch (option.kind) {
    case 'flag':
      return text
        .pipe(z.enum(['true', 'false', '1', '0'], 'must be true or false'))
        .transform(word => word === 'true' || word === '1')
    case 'path':
      return name.refine(value => value !== option.not, 'must be a file')
    case 'text':
    case 'url':
      return name
    case 'ledger':
      return text.refine(databaseUrl, 'must be a URL such as postgres://user@host/database') // without the value, which may hold a password
    case 'name':
      return matching(
        /^(?! )[^\p{C}\p{Zl}\p{Zp}]{1,200}(?<! )$/u,
        'must be 1 to 200 visible characters, without a blank at its ends',
      )
    case 'version':
      return matching(/^[\w.-]+$/, 'must be a version such as 1.0')
    case 'uuid':
      return text
        .pipe(z.guid('must be a UUID'))
        .refine(id => id !== nilUuid, 'is no record: a dry run writes it for ids that are not known yet')
    case 'choice':
      return text.pipe(z.enum(option.values, `must be ${option.values.join(' or ')}`))
    case 'count':
      return number(/^\d+$/, 'whole number', option)
    case 'number':
      return number(/^\d*\.?\d+$/, 'number', option)
    case 'rows_or_share':
      return rowsOrShareText.transform(rowsOrShare)
    case 'share':
      return matching(/^\d+(\.\d+)?%$/, 'must be a share such as 80%')
        .transform(Number.parseFloat)
        .pipe(z.number().max(option.most ?? Infinity, `must be at most ${option.most}%`))
    case 'duration':
      return matching(/^\d+(\.\d+)?[smh]?$/, 'must be a time such as 2h, 30m or 90s')
        .transform(value => Number.parseFloat(value) * (unitSeconds[value.slice(-1)] ?? 1))
        .pipe(z.number().max(2_592_000, 'must be at most 720h'))
    case 'rules':
      return responseRules
    case 'pairs':
      return z.preprocess(given => [given].flat(), z.array(pair))
    case 'delimiter':
      return z
        .string('must be given once')
        .min(1, 'must not be empty')
        .transform(delimiter => delimiter.replaceAll('\\t', '\t')) // a shell hardly types a tab
    case 'encoding':
      return text.refine(isKnownEncoding, notAnEncoding)
  }
}

const notAnEncoding = 'is not an encoding that is known here; try utf-8, utf-16le or windows-1252'

const pair = matching(/.=[^=\s]+$/, 'must be COLUMN=PATH, such as Email=emails.0.email').transform(text => {
  const at = text.lastIndexOf('=')
  return { column: text.slice(0, at).trim(), path: text.slice(at + 1) }
})

const rowsOrShareText = matching(/^\d+(\.\d+%|%)?$/, 'must be a number of rows or a share such as 5%')

const unitSeconds: Readonly<Record<string, number>> = { m: 60, h: 3600 }

function number(pattern: RegExp, type: string, { least, most = Number.MAX_VALUE }: Range) {
  const bound = least === undefined ? 'above 0' : `at least ${least}`
  return matching(pattern, `must be a ${type} ${least === undefined ? '' : 'of '}${bound}`)
    .transform(Number)
    .refine(value => (least === undefined ? value > 0 : value >= least), `must be ${bound}`)
    .refine(value => value <= most, `must be at most ${most}`)
}

export function schemaOfAll<T extends Options>(options: T): z.ZodType<OptionValues<T>> {
  const schemas = Object.entries(options).map(([name, option]) => {
    const schema = schemaOf(option)
    return [name, option.default === undefined ? schema.optional() : schema.default(option.default)]
  })
  return z.object(Object.fromEntries(schemas)) as unknown as z.ZodType<OptionValues<T>>
}
