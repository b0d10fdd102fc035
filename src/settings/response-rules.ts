import { z } from 'zod'
import { nearest, suggested } from '../model/did-you-mean.ts'
import { type Fault, faults } from '../model/outcome.ts'

/** Meaning of an undocumented answer (interface 7), as the user says under `responses:` in the settings file. */
export interface ResponseRule {
  /** The statuses it applies to; undefined for all. */
  readonly statuses?: readonly number[] | undefined
  /** A part of the answer's text, in lower case; undefined for any text. */
  readonly part?: string | undefined
  readonly means: Fault
}

const isStatus = (value: unknown) => Number.isInteger(value) && Number(value) >= 200 && Number(value) <= 599

/** One status or a list of them; each bad one is reported by itself. */
const statuses = z.unknown().transform((given, context): number[] => {
  const list = [given].flat()
  if (list.length === 0)
    context.addIssue('must not be empty; leave it out if the rule applies to every status')
  for (const [at, value] of list.entries())
    if (!isStatus(value))
      context.addIssue({
        code: 'custom',
        message: 'must be a whole number from 200 to 599, or a list of them',
        path: Array.isArray(given) ? [at] : [],
      })
  return list as number[]
})

const notAPart = 'must be a part of the text of the answers, in quotes'
const part = z
  .string({ error: notAPart })
  .refine(text => text.trim() !== '', notAPart)
  .transform(text => text.toLowerCase())

const means = z.enum(faults, {
  error: ({ input }) =>
    `must be one of ${faults.join(', ')}${suggested(typeof input === 'string' ? nearest(input, faults) : undefined)}`,
})

const rule = z
  .strictObject(
    { status: statuses.optional(), body: part.optional(), means },
    { error: 'must be a rule, such as { status: 400, body: "rate limit", means: throttled }' },
  )
  .refine(
    ({ status, body }) => status !== undefined || body !== undefined,
    'needs status or body, to say which answers it applies to',
  )
  .transform(({ status, body, means }): ResponseRule => ({ statuses: status, part: body, means }))

/** `responses:` of a settings file: the meaning of undocumented answers. */
export const responseRules = z.array(rule, {
  error: 'must be a list of rules, such as [{ status: 400, body: "rate limit", means: throttled }]',
})

export type ResponseRules = z.infer<typeof responseRules>

export const ruleKeys = ['status', 'body', 'means']
