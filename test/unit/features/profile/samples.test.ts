import { describe, expect, it } from 'vitest'
import { type MapRow, type Sample, takeSample } from '../../../../src/features/profile/samples.ts'
import type { Outcome } from '../../../../src/model/outcome.ts'
import { problem } from '../../../../src/model/problem.ts'
import type { Body, Row } from '../../../../src/model/row.ts'

const rowOf = (row: number, cells: readonly (readonly [string, unknown])[]): Row => ({
  source: 'a.csv',
  row,
  line: row + 1,
  value: column => cells.find(([name]) => name === column)?.[1],
  cells: () => cells,
})
const identity = (row: number) => ({ source: 'a.csv', row, line: row + 1, key: '', hash: '' })
const valid = (row: number, body: Body): Outcome => ({ status: 'valid', identity: identity(row), body })

/** What a small mapping makes of a row: it needs an address, and joins two names. */
const map: MapRow = row => {
  const [first, last, mail, other] = ['First', 'Last', 'Mail', 'Other'].map(name => row.value(name))
  if (mail === undefined) return { errors: [{ path: 'emails.0.email', ...problem('required') }] }
  const emails = [mail, other].flatMap(email => (email === undefined ? [] : [{ email }]))
  return { body: { name: [first, last].filter(Boolean).join(' '), record_sub_type: 'person', emails } }
}
const samplesOf = (how = map) => {
  const samples: Sample[] = []
  return { samples, take: (outcome: Outcome, row: Row) => takeSample(samples, outcome, row, how) }
}
const bodyOf = (row: Row) => (map(row) as { body: Body }).body

describe('the samples of a dry run', () => {
  it('the samples of a dry run are the first rows that would be sent, each field with the cells that it is made of', () => {
    const { samples, take } = samplesOf()
    const row = rowOf(1, [
      ['First', 'Ada'],
      ['Mail', 'a@x.example'],
      ['Other', 'b@x.example'],
      ['Fax', 7],
      ['Last', 'King'],
    ])
    for (let at = 1; at <= 30; at += 1) take(valid(at, bodyOf(row)), row)
    expect(samples).toHaveLength(10)
    expect(samples[0]).toEqual({
      ...{ source: 'a.csv', row: 1, line: 2, key: '' },
      fields: [
        {
          ...{ path: 'name', value: 'Ada King' },
          cells: [
            { column: 'First', value: 'Ada' },
            { column: 'Last', value: 'King' },
          ],
        },
        { path: 'record_sub_type', value: 'person', cells: [] },
        { path: 'emails.0.email', value: 'a@x.example', cells: [{ column: 'Mail', value: 'a@x.example' }] },
        { path: 'emails.1.email', value: 'b@x.example', cells: [{ column: 'Other', value: 'b@x.example' }] },
      ],
      unused: [{ column: 'Fax', value: '7' }],
    })
  })

  it('the samples of a dry run know the cell of a field that waits for another row, or whose row would be empty without it', () => {
    const waits: MapRow = row =>
      row.value('Parent') === undefined
        ? { errors: [{ path: '', ...problem('empty_body') }] }
        : { waitsOn: [{ on: 1, path: 'parent.record_id' }] }
    const { samples, take } = samplesOf(waits)
    take(
      valid(1, { parent: { record_id: 'r' }, name: 'x' }),
      rowOf(1, [
        ['Parent', 'P-1'],
        ['Name', 'x'],
      ]),
    )
    const cells = samples[0]?.fields.map(field => field.cells.map(({ column }) => column))
    expect(cells).toEqual([['Parent', 'Name'], ['Parent']])
  })

  it('the samples of a dry run have many cells, fields and long texts cut', () => {
    const { samples, take } = samplesOf()
    const long = 'x'.repeat(100_000)
    take(
      valid(1, { description: long, parts: Array.from({ length: 999 }, () => long.slice(0, 9_999)) }),
      rowOf(1, [['Mail', long], ...Array.from({ length: 999 }, (_, at) => [`C${at}`, long] as const)]),
    )
    const [sample] = samples
    expect(sample?.fields).toHaveLength(100)
    expect(JSON.stringify(sample).length).toBeLessThan(20_000_000)
    for (const { value } of sample?.fields ?? []) expect(value.length).toBeLessThanOrEqual(501)
  })
})
