import { z } from 'zod'
import type { ResponseRule } from '../api/classify.ts'
import { didYouMean } from '../mapping/located-yaml.ts'
import { mappingFaults } from '../model/mapping-faults.ts'
import { faults } from '../model/row.ts'

const isStatus = (value: unknown) => Number.isInteger(value) && Number(value) >= 200 && Number(value) <= 599

/** One status or a list of them; each that is none is told by itself. */
const statuses = z.unknown().transform((given, context): number[] => {
  const list = [given].flat()
  if (list.length === 0) context.addIssue(mappingFaults.noStatus())
  for (const [at, value] of list.entries())
    if (!isStatus(value))
      context.addIssue({
        code: 'custom',
        message: mappingFaults.notAStatus(),
        path: Array.isArray(given) ? [at] : [],
      })
  return list as number[]
})

const part = z
  .string({ error: mappingFaults.noPart() })
  .refine(text => text.trim() !== '', mappingFaults.noPart())
  .transform(text => text.toLowerCase())

const means = z.enum(faults, {
  error: ({ input }) =>
    mappingFaults.noMeaning(faults, typeof input === 'string' ? didYouMean(input, faults) : ''),
})

const rule = z
  .strictObject(
    { status: statuses.optional(), body: part.optional(), means },
    { error: mappingFaults.notARule() },
  )
  .refine(({ status, body }) => status !== undefined || body !== undefined, mappingFaults.ruleOfNothing())
  .transform(({ status, body, means }): ResponseRule => ({ statuses: status, part: body, means }))

/** `responses:` of a settings file: what answers mean that nobody documented (DESIGN 5). */
export const responseRules = z.array(rule, { error: mappingFaults.noRules() })

/** The keys of one rule, to suggest the one that was meant. */
export const ruleKeys = ['status', 'body', 'means']
