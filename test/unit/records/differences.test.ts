import fc from 'fast-check'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { atPath } from '../../../src/model/values.ts'
import { kinds, recordTypes } from '../../../src/records/kinds.ts'

/** What the schema says, error by error. */
function differencesBySchema(schema: z.ZodType, json: unknown): string[] {
  const issues = schema.safeParse(json).error?.issues ?? []
  return issues.map(({ path, message }) => {
    const place = path.join('.')
    const what = atPath(json, place) === undefined ? 'is missing' : `is not ${message}`
    return `${place.replaceAll(/\d+/g, '#')} ${what}`
  })
}

const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 1 }) as fc.Arbitrary<unknown>,
  fc.constantFrom(1e300, 1.5, 2 ** 53, JSON.parse('1e999')),
)

const texts = fc.constantFrom(
  ...['', 'Ada', '2026-11-21', '2026-11-21T08:00:10.123Z', '2026-11-21 08:00', '0001-01-01T00:00:00'],
  ...[
    '9d2f1c3e-0000-4000-8000-123456789ABC',
    '00000000-0000-0000-0000-000000000000',
    '9d2f1c3e-0000-4000-8000',
  ],
)

/** Values that often fit the schema, and often do not. */
function likely(schema: z.core.$ZodType): fc.Arbitrary<unknown> {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return fc.oneof({ weight: 4, arbitrary: likely(schema.unwrap()) }, fc.constant(null))
  if (schema instanceof z.ZodArray)
    return fc.oneof({ weight: 4, arbitrary: fc.array(likely(schema.element), { maxLength: 2 }) }, anything)
  if (!(schema instanceof z.ZodObject)) return fc.oneof(texts, fc.integer(), fc.boolean(), anything)
  const fields = Object.entries(schema.shape).map(([name, field]) => [name, likely(field)] as const)
  const object = fc.record(Object.fromEntries(fields), { requiredKeys: [] })
  return fc.oneof({ weight: 8, arbitrary: object }, anything)
}

it.each(recordTypes)('what differs in an answer about a %s is what its schema says, in its order', type => {
  const schema = kinds[type].record()
  const note = kinds[type].noteDifferences()
  fc.assert(
    fc.property(likely(schema), value => {
      const json = JSON.parse(JSON.stringify(value)) // no undefined, no -0
      if (typeof json !== 'object' || json === null || Array.isArray(json)) return // it has no record_id
      const differences: string[] = []
      note(json, differences)
      expect(differences).toEqual(differencesBySchema(schema, json))
    }),
    { numRuns: 300 },
  )
})
