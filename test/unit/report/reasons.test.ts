import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { findRule } from '../../../src/api/classify.ts'
import { responseRules } from '../../../src/app/response-rules.ts'
import { problem } from '../../../src/model/problem.ts'
import { type RunFacts, summaryFields } from '../../../src/report/summary.ts'
import { summaryText } from '../../../src/report/summary-text.ts'
import { Tally } from '../../../src/report/tally.ts'
import { identityOf, refused } from '../../support/outcomes.ts'

/** What a run came to whose rows failed with these statuses and answers. */
function factsOf(
  answers: readonly (readonly [httpStatus: number, body: string])[],
  changes: Partial<RunFacts> = {},
): RunFacts {
  const tally = new Tally()
  for (const [at, [httpStatus, body]] of answers.entries()) {
    tally.take({ type: 'row_settled', outcome: refused(httpStatus, body, identityOf(at)) })
  }
  const columns = { unseen: [], unused: [], missingKey: [], omissions: [], lookups: [] }
  const common = { dryRun: false, durationMs: 1, inDoubt: 0, unmet: [], columns, hasRules: false }
  return { ...common, tally, written: undefined, next: [], ...changes }
}

/** The lines of the proposal in a summary. */
function proposal(facts: RunFacts): string[] {
  const block = summaryText(facts, false)
    .split('\n\n')
    .find(text => text.includes('like throttling'))
  return block?.trim().split('\n') ?? []
}

const limited: readonly [number, string] = [400, '{"error":"Rate Limit reached"}']

describe('the summary proposes', () => {
  it('a rule to paste for answers that look like throttling', () => {
    expect(proposal(factsOf([limited, limited, [400, 'no name']]))).toEqual([
      'The answers to 2 rows look like throttling. If they are, and the service makes no record when it answers so, put this into the settings file (--config), and such calls are retried:',
      'responses: [{ status: 400, body: "rate limit", means: throttled }]',
    ])
    expect(proposal(factsOf([limited]))[0]).toContain('The answers to 1 row look like throttling')
  })

  it('one rule for each wording, that of the most rows first, with all its statuses', () => {
    const facts = factsOf([
      [403, 'slow down'],
      [403, 'rate limit'],
      limited,
      [529, 'overloaded'],
      [420, ''],
      [509, ''],
    ])
    const text =
      'responses: [{ status: [420, 509, 529], means: throttled }, { status: [400, 403], body: "rate limit", means: throttled }, { status: 403, body: "slow down", means: throttled }]'
    expect(proposal(facts)[1]).toBe(text)
    expect(summaryFields(facts).proposed_rules).toEqual(parse(text).responses)
    expect(responseRules.parse(parse(text).responses)).toHaveLength(3)
  })

  it('rules that can be read and that match every answer which they were made of', () => {
    const word = fc.constantFrom(
      ...'rate limit Too many requests Quota exceeded reached your api per minute try again later in SlowDown of 100 5'.split(
        ' ',
      ),
      ...[
        'throttled',
        "'rate limit'",
        '\n',
        '  ',
        '_',
        '-',
        '{"error":"',
        '"}',
        'Ada',
        'ada@example.com',
        'ü',
      ],
    )
    const body = fc
      .array(word, { maxLength: 12 })
      .chain(words => fc.constantFrom(' ', '', '_').map(between => words.join(between)))
    fc.assert(
      fc.property(fc.constantFrom(200, 400, 403, 500, 529), body, (status, text) => {
        const facts = factsOf([[status, text]])
        const rules = summaryFields(facts).proposed_rules
        if (rules === undefined) return
        expect(findRule(responseRules.parse(rules), status, text)?.means).toBe('throttled')
        expect(parse(proposal(facts)[1] ?? '')).toEqual({ responses: rules })
      }),
      { numRuns: 2_000 },
    )
  })

  it('what to add where the settings file has rules', () => {
    const [opening, ...rules] = proposal(factsOf([limited, [403, 'slow down']], { hasRules: true }))
    expect(opening).toContain('add this to responses: in the settings file (--config)')
    expect(rules).toEqual([
      '  - { status: 400, body: "rate limit", means: throttled }',
      '  - { status: 403, body: "slow down", means: throttled }',
    ])
  })

  it('five rules at most', () => {
    const words = [
      'slow down',
      'throttled',
      'throttling',
      'ratelimit',
      'rate_limit',
      'rate limit',
      'quota exceeded',
    ]
    const facts = factsOf(words.map(word => [400, word]))
    expect(summaryFields(facts).proposed_rules).toHaveLength(5)
  })

  it('nothing where nothing looks like it, and nothing in a dry run', () => {
    for (const facts of [factsOf([[400, 'no name']]), factsOf([]), factsOf([limited], { dryRun: true })]) {
      expect(proposal(facts)).toEqual([])
      expect(summaryFields(facts)).not.toHaveProperty('proposed_rules')
    }
  })
})

describe('the reasons of a run', () => {
  const invalid = (row: number, ...columns: readonly string[]) => ({
    type: 'row_settled' as const,
    outcome: {
      status: 'invalid' as const,
      identity: identityOf(row),
      errors: columns.map((column, at) => ({
        path: `tags.${at}`,
        column,
        value: at,
        ...problem('not_phone'),
      })),
    },
  })
  const reasonsIn = (...events: readonly ReturnType<typeof invalid>[]) => {
    const facts = factsOf([])
    for (const event of events) facts.tally.take(event)
    return { text: summaryText(facts, true), fields: summaryFields(facts).reasons }
  }

  it('count rows: a list with three bad items is one row, and one example', () => {
    const { text, fields } = reasonsIn(invalid(1, 'Tags', 'Tags', 'Tags'), invalid(2, 'Tags'))
    expect(fields).toMatchObject([{ count: 2, examples: [{ row: 1 }, { row: 2 }] }])
    expect(text).toContain('Why rows have no record:\n  2 rows invalid: Tags is not a phone number\n')
  })

  it('count a row with two reasons in both, and say so', () => {
    const { text, fields } = reasonsIn(invalid(1, 'Home', 'Work'), invalid(2, 'Work'))
    expect(fields.map(({ count }) => count)).toEqual([2, 1])
    expect(text).toContain('Why rows have no record (a row with two reasons counts in both):')
  })
})
