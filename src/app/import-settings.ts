import { z } from 'zod'
import { isKnownEncoding } from '../input/decode.ts'
import { standardInput } from '../input/source.ts'
import { longestLockTimeoutS } from '../journal/lock.ts'
import { logFormats, logLevels } from '../report/log-words.ts'
import { responseRules, ruleKeys } from './response-rules.ts'
import type { FilePart } from './settings.ts'

const said = (error: string) => ({ error })
/** A value that YAML or the command line may write as text, number or boolean; one that stands twice is a list. */
const text = z.union([z.string(), z.number(), z.boolean()], said('must be given once')).transform(String)
/** The name of a file, or an address. */
const name = text.refine(value => value !== '', said('must not be empty'))
const words = <const W extends readonly [string, ...string[]]>(list: W) =>
  text.pipe(z.enum(list, said(`must be ${list.join(' or ')}`)))
const yesOrNo = text
  .pipe(z.enum(['true', 'false', '1', '0'], said('must be true or false')))
  .transform(word => word === 'true' || word === '1')
const number = (pattern: RegExp, message: string) =>
  text.pipe(z.string().regex(pattern, said(message))).transform(Number)
const count = (least: number) =>
  number(/^\d+$/, `must be a whole number of at least ${least}`).pipe(
    z.number().min(least, said(`must be at least ${least}`)),
  )
const positive = number(/^\d*\.?\d+$/, 'must be a number above 0').pipe(
  z.number().gt(0, said('must be above 0')),
)

const maxFailures = text
  .pipe(z.string().regex(/^\d+(\.\d+%|%)?$/, said('must be a number of rows or a share such as 5%')))
  .transform(value =>
    value.endsWith('%') ? { percent: Number(value.slice(0, -1)) } : { rows: Number(value) },
  )

/** A node timer waits no longer than this many seconds. */
const longestTimeout = 2_147_483

/** How long the lock of a result log must stand still before it is taken over, in seconds. */
export const usualLockTimeoutS = 5
export const lockTimeout = positive
  .pipe(z.number().max(longestLockTimeoutS, said(`must be at most ${longestLockTimeoutS}`)))
  .default(usualLockTimeoutS)

/** The settings of an import, by the names of its flags. */
export const importSettings = z.object({
  mapping: name.optional(),
  results: name.optional(),
  'dry-run': yesOrNo.default(false),
  preview: name.optional(),
  rejects: name.optional(),
  report: name.optional(),
  limit: count(1).optional(),
  config: name.optional(),
  plan: name.optional(),
  'base-url': name.optional(),
  'api-version': text
    .pipe(z.string().regex(/^[\w.-]+$/, said('must be a version such as 1.0')))
    .default('1.0'),
  'organization-id': count(0)
    .pipe(z.number().max(Number.MAX_SAFE_INTEGER, said('is too large')))
    .optional(),
  'token-file': name.optional(),
  'allow-http': yesOrNo.default(false),
  'use-created': yesOrNo.optional(),
  delivery: words(['at-most-once', 'at-least-once']).optional(),
  'in-doubt': words(['hold', 'resend']).optional(),
  concurrency: count(1)
    .pipe(z.number().max(1000, said('must be at most 1000')))
    .default(10),
  rate: positive.optional(),
  retries: count(0).default(5),
  timeout: positive
    .pipe(z.number().max(longestTimeout, said(`must be at most ${longestTimeout}`)))
    .default(120),
  'max-failures': maxFailures.optional(),
  'lock-timeout': lockTimeout,
  format: words(['csv', 'ndjson']).optional(),
  delimiter: z
    .string(said('must be given once'))
    .min(1, said('must not be empty'))
    .transform(unescaped)
    .optional(),
  encoding: text
    .refine(
      isKnownEncoding,
      said('is not an encoding that is known here; try utf-8, utf-16le or windows-1252'),
    )
    .optional(),
  responses: responseRules.default([]),
  summary: name.optional(),
  metrics: name.refine(path => path !== standardInput, said('must be a file')).optional(),
  quiet: yesOrNo.default(false),
  'log-level': words(logLevels).default('info'),
  'log-format': words(logFormats).optional(),
})
export type ImportSettings = z.infer<typeof importSettings>

/** What of them stands in the settings file only. */
export const fileParts = {
  responses: { schema: responseRules, keys: ruleKeys },
} satisfies Readonly<Record<string, FilePart>>

/** A shell hardly types a tab: \t stands for it. */
function unescaped(delimiter: string): string {
  return delimiter.replaceAll('\\t', '\t')
}
