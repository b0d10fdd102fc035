import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { planEndReport } from '../../../src/features/migration/plan-summary.ts'
import type { RunEvent } from '../../../src/model/events.ts'
import { problem } from '../../../src/model/problem.ts'
import { paintFor, plain } from '../../../src/output/paint.ts'
import { endReport, summaryText } from '../../../src/output/summary-text.ts'
import { describeProblem } from '../../../src/output/words.ts'
import type { ResultDetails, RunResult } from '../../../src/result/run-result.ts'
import { identityOf, type OutcomeFields, outcomeOf } from '../../support/outcomes.ts'
import { newTally, noColumns, resultOf } from '../../support/results.ts'
import { hasEscapes } from '../../support/terminal.ts'

function factsOf(
  outcomes: readonly OutcomeFields[],
  changes: Partial<RunResult> = {},
  details: Partial<ResultDetails> = {},
): RunResult {
  const tally = newTally()
  for (const [at, fields] of outcomes.entries())
    tally.take({ type: 'row_settled', outcome: outcomeOf(fields, identityOf(at + 1)) } satisfies RunEvent)
  return resultOf(tally, changes, details)
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

describe('summary for people', () => {
  it('the summary for people aligns the counts, those that need attention last', () => {
    const outcomes: OutcomeFields[] = [
      ...Array.from({ length: 1_200 }, () => created),
      ...Array.from({ length: 31 }, () => ({ ...invalid, known: true }) as const),
      ...[invalid, { status: 'held' } as const],
    ]
    expect(block(summaryText(factsOf(outcomes, { in_doubt_total: 1 }), true), '  created')).toBe(
      [
        '  created  1,200',
        '  invalid     32   not sent; 31 of them known from an earlier run',
        '  held         1   not sent: in doubt since an earlier run, or perhaps there already',
      ].join('\n'),
    )
  })

  it('the summary for people tells what is not as expected first', () => {
    const few = { code: 'too_few_rows', params: { expected: 7, actual: 1 } } as const
    const unmet = [{ ...few, message: describeProblem(few) }]
    expect(summaryText(factsOf([created], { unmet }), true)).toMatch(
      /^\nImport finished .*: 1 row, .*\nNot as expected: .*1 row.*7.*\n\n {2}created/,
    )
  })

  it('the summary for people says with how many calls at once the run ended', () => {
    const facts = factsOf([created])
    const { tally } = facts.details
    const pace = { type: 'concurrency', atOnce: 50, most: 50 } as const
    tally.take({ ...pace, enough: 50 })
    expect(summaryText(facts, true)).not.toContain('instead of')
    for (const enough of [18, 12]) tally.take({ ...pace, enough })
    expect(summaryText(facts, true)).toContain(
      '\nMore calls at once only waited: 12 calls in flight instead of 50.\n',
    )
  })

  it('the summary for people names merged rows by key and place, ten at most', () => {
    const outcomes = Array.from({ length: 13 }, (_, at) => merged(`id-${at}`))
    const facts = factsOf(outcomes)
    const lines = block(summaryText(facts, true), 'Rows that got')?.split('\n') ?? []
    expect(lines).toHaveLength(12)
    expect(lines[1]).toBe('  k1 (a.csv row 1) got that of b.csv row 12: id-0')
    const firstKeys = new Map([['id-0', 'k0']])
    expect(summaryText(factsOf(outcomes, {}, { firstKeys }), true)).toContain(
      'got that of k0 (b.csv row 12): id-0\n',
    )
    expect(lines.at(-1)).toBe('  and 3 more rows')
    expect(summaryText(facts, false)).toContain('\n  a.csv row 1 got that of b.csv row 12: id-0\n')
    expect(summaryText(factsOf(Array.from({ length: 11 }, () => merged('x'))), true)).toContain(
      '  and 1 more row\n',
    )
  })

  it('the summary for people has the whole reason with each row if it differs between them', () => {
    const failing = (reason: string) => ({
      status: 'invalid' as const,
      errors: [{ column: 'Due', ...problem('expression_failed', { expression: 'a', reason }) }],
    })
    const facts = factsOf([failing('"soon" is no time'), failing('"later" is no time')])
    expect(block(summaryText(facts, true), 'Why')).toMatch(
      /Due the expression … fails: …\n +a\.csv:2 \(row 1.*\): Due the expression a fails: "soon" is no time\n.*"later" is no time/,
    )
    expect(summaryText(facts, false)).not.toMatch(/soon|later/)
  })

  it('the summary for people tells which values were left out of how many, with an example', () => {
    const omitted = (value: string, code: 'not_in_map' | 'lookup_not_found', column?: string) =>
      [{ path: 'parent.record_id', ...(column !== undefined && { column }), value, code }] as const
    const facts = factsOf(
      [
        { ...created, omitted: omitted('chef\n"x"', 'not_in_map', 'Role') },
        { ...created, omitted: omitted('Bob', 'lookup_not_found', 'Boss') },
        { ...created, omitted: omitted('Eve', 'lookup_not_found', 'Boss') },
        { ...created, omitted: omitted('Zed', 'lookup_not_found') },
      ],
      {},
      { columns: { ...noColumns, fallbacks: [{ column: 'Boss', values: 151, omitted: 2, kept: 0 }] } },
    )
    expect(block(summaryText(facts, true), 'Values')?.split('\n').slice(1)).toEqual([
      '  2 of 151 values of Boss: is not in the table (such as "Bob", a.csv:3)',
      '  1 of 1 value of Role: is not in the map (such as "chef \\"x\\"", a.csv:2)',
      '  1 of 1 value of parent.record_id: is not in the table (such as "Zed", a.csv:5)',
    ])
    expect(summaryText(facts, false)).toContain('values of Boss: is not in the table (such as a.csv:3)\n')
    expect(summaryText(facts, false)).not.toMatch(/Bob|chef|Zed/)
  })

  it('the summary for people tells which values were sent as they are of how many, with an example', () => {
    const kept = [{ path: 'name', column: 'Role', value: 'chef', code: 'not_in_map' }] as const
    const facts = factsOf(
      [{ ...created, kept }],
      {},
      { columns: { ...noColumns, fallbacks: [{ column: 'Role', values: 4, omitted: 0, kept: 1 }] } },
    )
    expect(block(summaryText(facts, true), 'Values')?.split('\n')).toEqual([
      'Values sent as they are:',
      '  1 of 4 values of Role: is not in the map (such as "chef", a.csv:2)',
    ])
  })

  it('the summary for people tells of a lookup that found nothing at all', () => {
    const lookup = {
      name: 'users',
      values: 151,
      hits: 0,
      missed: 'bob@x',
      table: 'u.csv',
      column: 'id',
      key: '0017',
    }
    const lookups = [lookup, { name: 'teams', values: 3, hits: 1 }, { name: 'no', values: 0, hits: 0 }]
    const facts = factsOf([created], {}, { columns: { ...noColumns, lookups } })
    expect(summaryText(facts, true)).toContain(
      '\n\nThe lookup users found none of 151 values in the column id of u.csv: "bob@x" was looked for, and "0017" is there. Correct key: of the lookup, or the column that is looked up.\n\n',
    )
    expect(summaryText(facts, false)).toContain('found none of 151 values in the column id of u.csv. Correct')
    expect(summaryText(facts, true)).not.toMatch(/lookup (teams|no)/)
  })

  it('the summary for people has no control signs of file names', () => {
    const identity = { ...identityOf(), source: 'a\u001b[31m.csv' }
    const tally = newTally()
    const value = { path: 'title', value: 'x', code: 'not_in_map' } as const
    tally.take({ type: 'row_settled', outcome: outcomeOf(invalid, identity) })
    tally.take({ type: 'row_settled', outcome: outcomeOf({ ...created, omitted: [value] }, identity) })
    tally.take({ type: 'row_settled', outcome: outcomeOf(merged('id'), identity) })
    expect(hasEscapes(summaryText(resultOf(tally), true))).toBe(false)
  })

  it('the summary for people counts the fields that answers lack', () => {
    const facts = factsOf([
      { ...created, notInAnswer: ['emails.0.note', 'emails.1.note'] },
      { ...created, notInAnswer: ['emails.3.note', 'title'] },
    ])
    expect(block(summaryText(facts, false), 'Fields')?.split('\n').slice(1)).toEqual([
      '  emails.#.note: 2 answers',
      '  title: 1 answer',
    ])
  })

  it('the summary for people has colours where they are shown, and says the same without them', () => {
    const next = [{ advice: 'Go on', args: ['import', 'my rows.csv'] }]
    const facts = factsOf([created, invalid], { exit_code: 1 })
    const painted = summaryText(facts, true, paintFor(true), next)
    expect(painted).toContain(paintFor(true)(['bold', 'yellow'], 'invalid  1'))
    expect(painted).toContain(`${paintFor(true)('cyan', "rowlift import 'my rows.csv'")}\n`)
    expect(stripVTControlCharacters(painted)).toBe(summaryText(facts, true, plain, next))
    const paths = { sources: ['a.csv'], mapping: 'm.yaml', results: 'r.ndjson' }
    const step = { name: 'one', paths, end: facts }
    for (const { text } of [
      endReport(facts, next),
      planEndReport({ plan: 'p.yaml', dryRun: false, exitCode: 1, durationMs: 1, imports: [step], next }),
    ])
      expect([hasEscapes(text(true, true)), hasEscapes(text(true, false))]).toEqual([true, false])
  })
})
