import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { classify, findRule } from '../../../src/api/retry.ts'
import { faults } from '../../../src/model/outcome.ts'
import type { ResponseRule } from '../../../src/settings/response-rules.ts'
import { wellFormedText } from '../../support/any-text.ts'

const sent = { sent: true } as const
const answered = (httpStatus: number) => ({ sent: true, httpStatus })

describe('failed attempt', () => {
  it('a failed attempt never reached the service while no byte could have left', () => {
    expect(classify({ sent: false }, false)).toBe('never_reached')
    expect(classify({ sent: false }, true)).toBe('never_reached')
  })

  it('a failed attempt is ambiguous once it was sent and no answer came', () => {
    expect(classify(sent, true)).toBe('ambiguous')
  })

  it.each([408, 429, 503])(
    'a failed attempt is throttled when the answer is %d, which means not processed',
    status => {
      expect(classify(answered(status), false)).toBe('throttled')
      expect(classify(answered(status), true)).toBe('throttled')
    },
  )

  it.each([400, 402, 406, 409, 410, 413, 415, 422, 451])(
    'a failed attempt is refused when the answer is %d',
    status => {
      expect(classify(answered(status), false)).toBe('refused')
      expect(classify(answered(status), true)).toBe('refused')
    },
  )

  it('a failed attempt stops the run on 401 at any time', () => {
    expect(classify(answered(401), false)).toBe('unauthorized')
    expect(classify(answered(401), true)).toBe('unauthorized')
  })

  it.each([403, 404, 405])(
    'a failed attempt stops the run on %d before the first success, and is refused after it',
    status => {
      expect(classify(answered(status), false)).toBe('unauthorized')
      expect(classify(answered(status), true)).toBe('refused')
    },
  )

  it.each([300, 301, 302, 303, 307, 308])(
    'a failed attempt stops the run on %d before the first success, and is ambiguous after it',
    status => {
      expect(classify(answered(status), false)).toBe('unauthorized')
      expect(classify(answered(status), true)).toBe('ambiguous')
    },
  )

  it.each([500, 501, 502, 504, 520, 599])('a failed attempt is ambiguous when the answer is %d', status => {
    expect(classify(answered(status), true)).toBe('ambiguous')
  })

  it.each(faults)('a failed attempt is what a rule about the answer says: %s', means => {
    for (const status of [200, 302, 400, 401, 403, 408, 429, 500, 503])
      expect(classify(answered(status), false, { means })).toBe(means)
  })

  it('a failed attempt without an answer has no rule that could apply', () => {
    expect(classify({ sent: false }, true, { means: 'refused' })).toBe('never_reached')
    expect(classify(sent, true, { means: 'refused' })).toBe('ambiguous')
  })

  it.each([200, 201, 204])(
    'a failed attempt is ambiguous when the answer is %d without a readable record_id',
    status => {
      expect(classify(answered(status), false)).toBe('ambiguous')
    },
  )
})

const rateLimit: ResponseRule = { statuses: [400], part: 'rate limit', means: 'throttled' }

/** What an answer means by the rules. */
const meaning = (rules: readonly ResponseRule[], status: number, text: string | undefined) =>
  findRule(rules, status, text)?.means

describe('rule for answers', () => {
  it('a rule for answers applies to its status and to a text with its part, in any case', () => {
    expect(meaning([rateLimit], 400, '{"error":"Rate Limit exceeded"}')).toBe('throttled')
    expect(meaning([rateLimit], 400, '{"error":"no name"}')).toBeUndefined()
    expect(meaning([rateLimit], 422, 'rate limit')).toBeUndefined()
  })

  it('a rule for answers without a text applies to every answer of its status, even an empty one', () => {
    expect(meaning([{ statuses: [502, 504], means: 'never_reached' }], 504, '')).toBe('never_reached')
    expect(meaning([{ statuses: [502, 504], means: 'never_reached' }], 503, '')).toBeUndefined()
  })

  it('a rule for answers without a status applies to every answer that contains its part', () => {
    for (const status of [200, 302, 400, 500])
      expect(meaning([{ part: 'busy', means: 'throttled' }], status, 'too BUSY now')).toBe('throttled')
  })

  it('a rule for answers is plain text, whatever it looks like', () => {
    const rule: ResponseRule = { part: '.*(a+)+$[', means: 'refused' }
    expect(meaning([rule], 400, 'anything')).toBeUndefined()
    expect(meaning([rule], 400, 'it says .*(A+)+$[ here')).toBe('refused')
  })

  it.each(['İSTANBUL DOLU', 'Straße gesperrt', 'ΠΟΛΛΑ ΑΙΤΗΜΑΤΑ', 'リクエストが多すぎます', '👩‍👧 busy'])(
    'a rule for answers finds %s in upper or lower case',
    words => {
      const rule: ResponseRule = { part: words.toLowerCase(), means: 'throttled' }
      for (const text of [words, words.toLowerCase()])
        expect(meaning([rule], 400, `x ${text} y`)).toBe('throttled')
    },
  )

  it('a rule for answers that comes first counts, however many there are', () => {
    const many = Array.from(
      { length: 1000 },
      (_, at): ResponseRule => ({ part: `x${at}y`, means: 'refused' }),
    )
    const rules: ResponseRule[] = [...many, rateLimit, { statuses: [400], means: 'unauthorized' }]
    expect(meaning(rules, 400, 'rate limit')).toBe('throttled')
    expect(meaning(rules, 400, 'x999y rate limit')).toBe('refused')
    expect(meaning(rules, 400, 'other')).toBe('unauthorized')
  })

  it('a rule for answers searches a long answer beyond what is quoted, and not without end', () => {
    expect(meaning([rateLimit], 400, `${'x'.repeat(90_000)} rate limit`)).toBe('throttled')
    expect(meaning([rateLimit], 400, `${'x'.repeat(200_000)} rate limit`)).toBeUndefined()
  })

  it('a rule for answers does not apply to an attempt without an answer', () => {
    for (const rule of [{ part: 'x' }, {}])
      expect(findRule([{ ...rule, means: 'ambiguous' }], undefined, undefined)).toBeUndefined()
  })

  it('a rule for answers never turns a success that broke off into a failure', () => {
    for (const means of ['refused', 'throttled', 'never_reached'] as const)
      expect(meaning([{ statuses: [200], means }], 200, undefined)).toBeUndefined()
  })

  it('a rule for answers applies to an answer that broke off by its status, or by caution', () => {
    const busy: ResponseRule = { part: 'busy', means: 'throttled' }
    const late: ResponseRule = { statuses: [503], part: 'after the fact', means: 'ambiguous' }
    const any: ResponseRule = { statuses: [503], means: 'refused' }
    expect(meaning([busy, late, any], 503, undefined)).toBe('ambiguous')
    expect(meaning([busy, any], 503, undefined)).toBe('refused')
    expect(meaning([busy], 503, undefined)).toBeUndefined()
    expect(meaning([{ statuses: [300], means: 'refused' }], 300, undefined)).toBe('refused')
  })

  it('a rule for answers finds every part of every text', () => {
    fc.assert(
      fc.property(wellFormedText(), fc.string(), fc.string(), (part, before, after) => {
        fc.pre(!/[\u03a3\u03c3]/.test(part)) // a sigma is another small letter at the end of a word
        const rule: ResponseRule = { part: part.toLowerCase(), means: 'refused' }
        expect(meaning([rule], 400, before + part + after)).toBe('refused')
      }),
    )
  })
})
