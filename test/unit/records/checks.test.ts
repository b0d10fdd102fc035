import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { atPath } from '../../../src/model/values.ts'
import { differencesFrom } from '../../../src/records/checks.ts'
import { innerSchema, listOf, requested, text } from '../../../src/records/fields.ts'
import { kinds } from '../../../src/records/kinds.ts'
import { recordTypes } from '../../../src/records/record-types.ts'
import { repeats } from '../../support/random.ts'

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
    { numRuns: repeats(300) },
  )
})

/** A kind that has required fields, unlike those of the service. */
const part = requested({ size: text() }).extend({ name: text() })
const project = requested({ note: text(), parts: listOf(part) }).extend({ title: text() })

const isAsZod = (schema: z.ZodType) => {
  const note = differencesFrom(schema)
  return fc.property(valueFor(schema), value => {
    const differences: string[] = []
    note(value, differences)
    expect(differences.length === 0).toBe(schema.safeParse(value).success)
  })
}

describe('quick look at a body', () => {
  it.each(recordTypes)(
    'the quick look at the body of a %s accepts what zod accepts, and nothing else',
    type => fc.assert(isAsZod(kinds[type].request())),
  )

  it('the quick look at a body accepts what zod accepts if fields are required, too', () => {
    fc.assert(isAsZod(project))
  })

  it('the quick look at a body finds the required fields that are missing, at every depth', () => {
    const differences: string[] = []
    differencesFrom(project)({ note: 'x', parts: [{ name: 'a' }, {}] }, differences)
    expect(differences).toEqual(['title is missing', 'parts.#.name is missing'])
  })
})

/** Most are of the kind that a schema asks for. */
function valueFor(schema: z.core.$ZodType): fc.Arbitrary<unknown> {
  const inner = innerSchema(schema)
  return fc.oneof({ weight: 30, arbitrary: kindFor(inner) }, { weight: 1, arbitrary: fc.anything() })
}

function kindFor(schema: z.core.$ZodType): fc.Arbitrary<unknown> {
  if (schema instanceof z.ZodArray) return fc.array(valueFor(schema.element), { maxLength: 2 })
  if (!(schema instanceof z.ZodObject))
    return fc.constantFrom(
      'A',
      'text',
      '2026-10-05',
      '6a0d8a0e-4f5b-4c58-9a57-1f1b0f6f2d11',
      7,
      1.5,
      true,
      null,
    )
  const fields = Object.entries(schema.shape).map(([name, field]) =>
    fc.tuple(fc.constant(name), valueFor(field)),
  )
  const known = fc.subarray(fields).chain(chosen => fc.tuple(...chosen.slice(0, 5)))
  const unknown = fc.tuple(fc.constantFrom('other', '__proto__', 'constructor'), fc.anything())
  return fc
    .tuple(known, fc.oneof({ weight: 9, arbitrary: fc.constant([]) }, fc.tuple(unknown)))
    .map(([some, more]) => Object.fromEntries([...some, ...more]))
}
