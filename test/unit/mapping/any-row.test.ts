import { readFile } from 'node:fs/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LookupTable } from '../../../src/mapping/lookups/table.ts'
import { compileMapping, type Mapping } from '../../../src/mapping/mapping.ts'
import { transformNames } from '../../../src/mapping/rule.ts'
import { anyText } from '../../support/any-text.ts'
import { mappingOf, rowOf } from '../../support/mappings.ts'
import { repeats } from '../../support/random.ts'

const columns = ['A', 'B', 'C', 'D']

/** Every `as`, and every other part, over the same few columns. */
const widest = () =>
  mappingOf(
    {
      name: 'Dear {{A}} {{B}}',
      joined: {
        join: columns,
        with: ';',
        split: ';',
        replace: [{ pattern: '\\d+|(.)\\1', with: '$1' }],
        case: 'upper',
      },
      first: { from: columns, map: { yes: true, no: false }, otherwise: 'keep' },
      required: { from: 'A', map: { x: 'y' }, required: true, default: 'none', otherwise: 'omit' },
      null: { from: 'B', empty: null },
      each: {
        from: 'C',
        split: ',',
        each: { of: '{{.}} {{A}}', field: { from: '.name' }, list: [{ from: '.' }] },
      },
      many: Object.fromEntries(
        transformNames.map(as => [
          as,
          columns.map(from => ({
            from,
            as,
            ...(as === 'duration' && { unit: 'hours', hours_per_day: 8 }),
            ...(as === 'phone' && { country: 'GB' }),
            ...(as === 'date' && { format: ['iso', 'd/M/yy', 'excel', 'epoch_ms'] }),
            ...(as === 'datetime' && {
              format: ['iso', 'd LLL yyyy h:mm a', 'epoch_s'],
              zone: 'Europe/Berlin',
            }),
          })),
        ]),
      ),
    },
    { where: { D: ['', 'x'] }, key: ['A', 'B'] },
  )

/** Expressions, lookups, and the other parts that need more than a column, over the same few columns. */
function newest(): Mapping {
  const mapping = mappingOf(
    {
      found: { from: 'A', lookup: 'table' },
      maybe: { from: 'B', split: ',', lookup: 'table', missing: 'omit' },
      calculated: { expr: 'A & $string(B) & $lookup("table", C)', missing: 'omit' },
      dated: { expr: '$date(A, [B, "iso"], "Europe/Berlin")' },
      called: { expr: '$phone(A, "GB")' },
      matched: { expr: '$contains($string(A), /^(x|y)+z/) ? $html(A) : $number(A)' },
      items: {
        from: 'C',
        split: ',',
        each: { n: { expr: '$item & A' }, id: { from: '.', lookup: 'table' } },
      },
      chain: { from: 'A', as: 'integer', otherwise: 'omit', default: { from: 'B', default: '{{C}}!' } },
      kept: columns.map(from => ({ from, as: 'datetime', zone: 'Europe/Berlin', otherwise: 'keep' })),
      phone: { from: 'A', as: 'phone', country: 'CA', extension: 'keep', optional: true },
      time: { from: 'B', as: 'duration', unit: 'minutes', input_unit: 'milliseconds', otherwise: 'keep' },
    },
    {
      optional_columns: true,
      empty_values: ['null', '-'],
      key: 'A',
      lookups: { table: { file: 't.csv', key: 'k', value: 'v' } },
    },
  )
  const table = new LookupTable('t.csv')
  for (const [at, key] of ['a', 'A', 'x', '0', 'a@b.example', '__proto__'].entries())
    table.add(key, at, at + 2)
  mapping.lookups.provide('table', key => table.find(key))
  return mapping
}

const samples = async (): Promise<readonly (readonly [Mapping, readonly string[]])[]> => {
  const file = new URL('../../../samples/contacts-google/mapping.yaml', import.meta.url)
  const google = compileMapping('google.yaml', await readFile(file, 'utf8'), '')
  const named = [
    'First Name',
    'Last Name',
    'Organization Name',
    'E-mail 1 - Value',
    'Phone 1 - Value',
    'Labels',
    'Birthday',
    'Website 1 - Value',
  ]
  return [
    [widest(), columns],
    [newest(), columns],
    [google, named],
  ]
}

/** Cells that are nearly something. */
const cell = fc.oneof(
  fc.string(),
  anyText(),
  fc.constantFrom(
    '',
    ' ',
    '0',
    '-1.5e9',
    '1,234.5',
    '2026-02-30',
    '2026-10-25T02:30:00',
    '+275760-09-13',
    '999999999999999',
    'a@b.example',
    'https://[::1]/x',
    'http://%zz',
    '+44',
    '1h 30m',
    '{"a":[null,{"__proto__":1}]}',
    '[[[]]]',
    '__proto__',
    'toString',
    '{{A}}',
    '$1$&',
    'a,b,,c',
    '<b>&amp;</b>',
    '\ud800',
  ),
)

describe('any content of a row', () => {
  it('it maps to a body or to errors, and the row before it changes nothing', async () => {
    for (const [mapping, names] of await samples()) {
      const row = fc.record(Object.fromEntries(names.map(name => [name, cell])))
      fc.assert(
        fc.property(row, row, (before, after) => {
          const alone = JSON.stringify(mapping.map(rowOf(after)))
          expect(Object.keys(JSON.parse(alone))).toEqual([expect.stringMatching(/^(body|errors)$/)])
          mapping.map(rowOf(before))
          expect(JSON.stringify(mapping.map(rowOf(after)))).toBe(alone)
          expect(mapping.selects(rowOf(after))).toBeTypeOf('boolean')
          expect(mapping.identifier()(rowOf(after)).key).toBeTypeOf('string')
        }),
        { numRuns: repeats(60) },
      )
    }
  })

  it.each([
    ['all that rules can say', widest],
    ['expressions, lookups and fallbacks', newest],
  ])('the same holds for the values of NDJSON and %s', (_, make) => {
    const mapping = make()
    const row = fc.record(Object.fromEntries(columns.map(name => [name, fc.jsonValue({ maxDepth: 3 })])))
    fc.assert(
      fc.property(row, row, (before, after) => {
        const alone = JSON.stringify(mapping.map(rowOf(after)))
        mapping.map(rowOf(before))
        expect(JSON.stringify(mapping.map(rowOf(after)))).toBe(alone)
        expect(mapping.identifier()(rowOf(after)).key).toBeTypeOf('string')
      }),
      { numRuns: repeats(60) },
    )
  })

  it('a cell of 200 kB takes no more than a moment', () => {
    for (const mapping of [widest(), newest()])
      for (const text of ['a', '1,', 'a@', 'a.', '\n ', '[', '*'])
        expect(
          mapping.map(rowOf({ A: text.repeat(200_000 / text.length), B: 'b', C: '', D: '' })),
        ).toBeTypeOf('object')
  })
})
