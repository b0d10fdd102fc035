import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AnswerRule, matchingRule, toldWith } from '../../../src/api/answer-rules.ts'

const rateLimit: AnswerRule = { statuses: [400], part: 'rate limit', means: 'throttled' }

/** What the rules say of an answer. */
const meaning = (rules: readonly AnswerRule[], status: number, text: string | undefined) =>
  matchingRule(rules, status, text)?.means

describe('a rule for answers', () => {
  it('speaks of its status and of a text that holds its part, in letters of any case', () => {
    expect(meaning([rateLimit], 400, '{"error":"Rate Limit exceeded"}')).toBe('throttled')
    expect(meaning([rateLimit], 400, '{"error":"no name"}')).toBeUndefined()
    expect(meaning([rateLimit], 422, 'rate limit')).toBeUndefined()
  })

  it('without a text speaks of every answer of its status, an empty one among them', () => {
    expect(meaning([{ statuses: [502, 504], means: 'never_reached' }], 504, '')).toBe('never_reached')
    expect(meaning([{ statuses: [502, 504], means: 'never_reached' }], 503, '')).toBeUndefined()
  })

  it('without a status speaks of every answer that holds its part', () => {
    for (const status of [200, 302, 400, 500])
      expect(meaning([{ part: 'busy', means: 'throttled' }], status, 'too BUSY now')).toBe('throttled')
  })

  it('takes its part for plain text, whatever it looks like', () => {
    const rule: AnswerRule = { part: '.*(a+)+$[', means: 'refused' }
    expect(meaning([rule], 400, 'anything')).toBeUndefined()
    expect(meaning([rule], 400, 'it says .*(A+)+$[ here')).toBe('refused')
  })

  it.each(['İSTANBUL DOLU', 'Straße gesperrt', 'ΠΟΛΛΑ ΑΙΤΗΜΑΤΑ', 'リクエストが多すぎます', '👩‍👧 busy'])(
    'finds %s in letters of any case',
    words => {
      const rule: AnswerRule = { part: words.toLowerCase(), means: 'throttled' }
      for (const text of [words, words.toLowerCase()])
        expect(meaning([rule], 400, `x ${text} y`)).toBe('throttled')
    },
  )

  it('that comes first counts, however many there are', () => {
    const many = Array.from({ length: 1000 }, (_, at): AnswerRule => ({ part: `x${at}y`, means: 'refused' }))
    const rules: AnswerRule[] = [...many, rateLimit, { statuses: [400], means: 'unauthorized' }]
    expect(meaning(rules, 400, 'rate limit')).toBe('throttled')
    expect(meaning(rules, 400, 'x999y rate limit')).toBe('refused')
    expect(meaning(rules, 400, 'other')).toBe('unauthorized')
  })

  it('searches a long answer far beyond what is quoted of it, and not without end', () => {
    expect(meaning([rateLimit], 400, `${'x'.repeat(90_000)} rate limit`)).toBe('throttled')
    expect(meaning([rateLimit], 400, `${'x'.repeat(200_000)} rate limit`)).toBeUndefined()
  })

  it('says nothing of an attempt without an answer', () => {
    expect(matchingRule([{ means: 'refused', part: 'x' }], undefined, undefined)).toBeUndefined()
  })

  it('never makes a success that broke off a failure', () => {
    for (const means of ['refused', 'throttled', 'never_reached'] as const)
      expect(meaning([{ statuses: [200], means }], 200, undefined)).toBeUndefined()
  })

  it('of an answer that broke off is known by its status, and by caution', () => {
    const busy: AnswerRule = { part: 'busy', means: 'throttled' }
    const late: AnswerRule = { statuses: [503], part: 'after the fact', means: 'ambiguous' }
    const any: AnswerRule = { statuses: [503], means: 'refused' }
    expect(meaning([busy, late, any], 503, undefined)).toBe('ambiguous')
    expect(meaning([busy, any], 503, undefined)).toBe('refused')
    expect(meaning([busy], 503, undefined)).toBeUndefined()
  })

  it('finds every part of every text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), fc.string(), (part, before, after) => {
        fc.pre(!/[\u03a3\u03c3]/.test(part)) // a sigma is another small letter at the end of a word
        const rule: AnswerRule = { part: part.toLowerCase(), means: 'refused' }
        expect(meaning([rule], 400, before + part + after)).toBe('refused')
      }),
    )
  })

  it('is told in what becomes of the row', () => {
    expect(toldWith(rateLimit, { message: 'the service answered 400', body: 'rate limit' })).toEqual({
      message: 'the service answered 400, which means throttled by a rule of the settings file',
      body: 'rate limit',
    })
    expect(toldWith(undefined, { message: 'the service answered 400' })).toEqual({
      message: 'the service answered 400',
    })
  })
})
