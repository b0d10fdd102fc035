import { z } from 'zod'
import { nearest, suggested } from '../model/did-you-mean.ts'
import { faults } from '../model/outcome.ts'

const isStatus = (value: unknown) => Number.isInteger(value) && Number(value) >= 200 && Number(value) <= 599

/** One status or a list of them; each bad one is reported by itself. */
const statuses = z.unknown().transform((input, context): readonly number[] => {
  const list = [input].flat()
  if (list.length === 0)
    context.addIssue('must not be empty; leave it out if the rule applies to every status')
  for (const [at, value] of list.entries())
    if (!isStatus(value))
      context.addIssue({
        code: 'custom',
        message: 'must be a whole number from 200 to 599, or a list of them',
        path: Array.isArray(input) ? [at] : [],
      })
  return list as number[]
})

const notAPart = 'must be a part of the text of the answers, in quotes'
const part = z
  .string(notAPart)
  .refine(text => text.trim() !== '', notAPart)
  .toLowerCase()

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
  .transform(({ status: statuses, body: part, means }) => ({ statuses, part, means }))

/**
 * The meaning of an undocumented answer (interface 7), as users write it under `responses:`. `part` is a part of its text in lower
 * case; an undefined `statuses` or `part` means all answers.
 */
export type ResponseRule = Readonly<Partial<z.infer<typeof rule>> & Pick<z.infer<typeof rule>, 'means'>>

/** `responses:` of a settings file: the meaning of undocumented answers. */
export const responseRules = z.array(rule, {
  error: 'must be a list of rules, such as [{ status: 400, body: "rate limit", means: throttled }]',
})

export const ruleKeys = ['status', 'body', 'means']
