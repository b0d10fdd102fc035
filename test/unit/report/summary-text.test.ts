import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../../src/model/events.ts'
import { problem } from '../../../src/model/problem.ts'
import { paintFor } from '../../../src/report/paint.ts'
import { planEndReport } from '../../../src/report/plan-summary.ts'
import type { RunFacts } from '../../../src/report/summary.ts'
import { endReport, summaryText } from '../../../src/report/summary-text.ts'
import { Tally } from '../../../src/report/tally.ts'
import { identityOf, type OutcomeFields, outcomeOf } from '../../support/outcomes.ts'
import { hasEscapes } from '../../support/terminal.ts'

const columns = { unseen: [], unused: [], missingKey: [], omissions: [], lookups: [] }

function factsOf(outcomes: readonly OutcomeFields[], changes: Partial<RunFacts> = {}): RunFacts {
  const tally = new Tally()
  for (const [at, fields] of outcomes.entries())
    tally.take({ type: 'row_settled', outcome: outcomeOf(fields, identityOf(at + 1)) } satisfies RunEvent)
  return {
    ...{ dryRun: false, tally, durationMs: 2_000, inDoubt: 0, unmet: [], columns, hasRules: false },
    ...{ written: 'r.ndjson', next: [], ...changes },
  }
}

const created = { status: 'created', recordId: 'r', attempts: 1, durationMs: 1 } as const
const invalid = {
  status: 'invalid',
  errors: [{ column: 'Mail', value: 'nope', ...problem('not_email') }],
} as const
const merged = (recordId: string): OutcomeFields => ({
  ...{ ...created, status: 'merged', recordId },
  sameAs: { source: 'b.csv', row: 12 },
})
/** The block of lines that begins so. */
const block = (text: string, start: string) => text.split('\n\n').find(lines => lines.startsWith(start))

describe('the summary for people', () => {
  it('aligns the counts, those that need attention last', () => {
    const outcomes: OutcomeFields[] = [
      ...Array.from({ length: 1_200 }, () => created),
      ...Array.from({ length: 31 }, () => ({ ...invalid, known: true }) as const),
      ...[invalid, { status: 'held' } as const],
    ]
    expect(block(summaryText(factsOf(outcomes, { inDoubt: 1 }), true), '  created')).toBe(
      [
        '  created        1,200',
        '  invalid           32   not sent; 31 of them known from an earlier run',
        '  held in doubt      1   left in doubt by an earlier run',
      ].join('\n'),
    )
  })

  it('tells what is not as expected first', () => {
    const unmet = [{ code: 'too_few_rows', params: { expected: 7, actual: 1 } }] as const
    expect(summaryText(factsOf([created], { unmet }), true)).toMatch(
      /^\nImport finished .*: 1 row, .*\nNot as expected: .*1 row.*7.*\n\n {2}created/,
    )
  })

  it('names merged rows by key and place, ten at most, and without cells by place alone', () => {
    const facts = factsOf(Array.from({ length: 13 }, (_, at) => merged(`id-${at}`)))
    const lines = block(summaryText(facts, true), 'Rows that got')?.split('\n') ?? []
    expect(lines).toHaveLength(12)
    expect(lines[1]).toBe('  k1 (a.csv row 1) got that of b.csv row 12: id-0')
    const firstKeys = new Map([['id-0', 'k0']])
    expect(summaryText({ ...facts, firstKeys }, true)).toContain('got that of k0 (b.csv row 12): id-0\n')
    expect(lines.at(-1)).toBe('  and 3 more rows')
    expect(summaryText(facts, false)).toContain('\n  a.csv row 1 got that of b.csv row 12: id-0\n')
    expect(summaryText(factsOf(Array.from({ length: 11 }, () => merged('x'))), true)).toContain(
      '  and 1 more row\n',
    )
  })

  it('tells which values were left out of how many, with an example', () => {
    const omitted = (value: string, code: 'not_in_map' | 'lookup_not_found', column?: string) =>
      [{ path: 'parent.record_id', ...(column !== undefined && { column }), value, code }] as const
    const facts = factsOf(
      [
        { ...created, omitted: omitted('chef\n"x"', 'not_in_map', 'Role') },
        { ...created, omitted: omitted('Bob', 'lookup_not_found', 'Boss') },
        { ...created, omitted: omitted('Eve', 'lookup_not_found', 'Boss') },
        { ...created, omitted: omitted('Zed', 'lookup_not_found') },
      ],
      { columns: { ...columns, omissions: [{ column: 'Boss', values: 151, omitted: 2 }] } },
    )
    expect(block(summaryText(facts, true), 'Values')?.split('\n').slice(1)).toEqual([
      '  2 of 151 values of Boss: is not in the table (such as "Bob", a.csv:3)',
      '  1 of 1 value of Role: is not in the map (such as "chef \\"x\\"", a.csv:2)',
      '  1 of 1 value of parent.record_id: is not in the table (such as "Zed", a.csv:5)',
    ])
    expect(summaryText(facts, false)).toContain('values of Boss: is not in the table (such as a.csv:3)\n')
    expect(summaryText(facts, false)).not.toMatch(/Bob|chef|Zed/)
  })

  it('tells of a lookup that found nothing at all', () => {
    const lookup = {
      name: 'users',
      asked: 151,
      found: 0,
      missed: 'bob@x',
      table: 'u.csv',
      column: 'id',
      key: '0017',
    }
    const facts = factsOf([created], {
      columns: {
        ...columns,
        lookups: [lookup, { name: 'teams', asked: 3, found: 1 }, { name: 'no', asked: 0, found: 0 }],
      },
    })
    expect(summaryText(facts, true)).toContain(
      '\n\nThe lookup users found none of 151 values in the column id of u.csv: "bob@x" was looked for, and "0017" is there. Correct key: of the lookup, or the column that is looked up.\n\n',
    )
    expect(summaryText(facts, false)).toContain('found none of 151 values in the column id of u.csv. Correct')
    expect(summaryText(facts, true)).not.toMatch(/lookup (teams|no)/)
  })

  it('has no control signs of file names', () => {
    const identity = { ...identityOf(), source: 'a\u001b[31m.csv' }
    const { tally } = factsOf([])
    const value = { path: 'title', value: 'x', code: 'not_in_map' } as const
    tally.take({ type: 'row_settled', outcome: outcomeOf(invalid, identity) })
    tally.take({ type: 'row_settled', outcome: outcomeOf({ ...created, omitted: [value] }, identity) })
    tally.take({ type: 'row_settled', outcome: outcomeOf(merged('id'), identity) })
    expect(hasEscapes(summaryText(factsOf([], { tally }), true))).toBe(false)
  })

  it('counts the fields that answers lack', () => {
    const facts = factsOf([
      { ...created, notInAnswer: ['emails.0.note', 'emails.1.note'] },
      { ...created, notInAnswer: ['emails.3.note', 'title'] },
    ])
    expect(block(summaryText(facts, false), 'Fields')?.split('\n').slice(1)).toEqual([
      '  emails.#.note: 2 answers',
      '  title: 1 answer',
    ])
  })

  it('has colours where they are shown, and says the same without them', () => {
    const next = [{ advice: 'Go on', args: ['import', 'my rows.csv'] }]
    const facts = factsOf([created, invalid], { next })
    const painted = summaryText(facts, true, paintFor(true))
    expect(painted).toContain(paintFor(true)(['bold', 'yellow'], 'invalid  1'))
    expect(painted).toContain(`${paintFor(true)('cyan', "rowlift import 'my rows.csv'")}\n`)
    expect(stripVTControlCharacters(painted)).toBe(summaryText(facts, true))
    const asked = { sources: ['a.csv'], mapping: 'm.yaml', results: 'r.ndjson' }
    const about = {
      run: 'r',
      baseUrl: 'u',
      organizationId: 1,
      record: 'task',
      delivery: 'at-most-once',
    } as const
    const step = { name: 'one', asked, end: { ...facts, next: [], exitCode: 1, about } }
    for (const { text } of [
      endReport(facts),
      planEndReport({ plan: 'p.yaml', dryRun: false, exitCode: 1, durationMs: 1, imports: [step], next }),
    ])
      expect([hasEscapes(text(true, true)), hasEscapes(text(true, false))]).toEqual([true, false])
  })
})
