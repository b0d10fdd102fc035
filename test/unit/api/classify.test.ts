import { describe, expect, it } from 'vitest'
import { classify } from '../../../src/api/classify.ts'
import { faults } from '../../../src/model/row.ts'

const sent = { sent: true } as const
const answered = (httpStatus: number) => ({ sent: true, httpStatus })

describe('a failed attempt', () => {
  it('was never reached while no byte could have left', () => {
    expect(classify({ sent: false }, false)).toBe('never_reached')
    expect(classify({ sent: false }, true)).toBe('never_reached')
  })

  it('is ambiguous once it was sent and no answer came', () => {
    expect(classify(sent, true)).toBe('ambiguous')
  })

  it.each([408, 429, 503])(
    'is throttled when the answer is %d, which by its definition was not processed',
    status => {
      expect(classify(answered(status), false)).toBe('throttled')
      expect(classify(answered(status), true)).toBe('throttled')
    },
  )

  it.each([400, 402, 406, 409, 410, 413, 415, 422, 451])('is refused when the answer is %d', status => {
    expect(classify(answered(status), false)).toBe('refused')
    expect(classify(answered(status), true)).toBe('refused')
  })

  it('stops the run on 401 at any time', () => {
    expect(classify(answered(401), false)).toBe('unauthorized')
    expect(classify(answered(401), true)).toBe('unauthorized')
  })

  it.each([403, 404, 405])(
    'stops the run on %d before the first success, and is refused after it',
    status => {
      expect(classify(answered(status), false)).toBe('unauthorized')
      expect(classify(answered(status), true)).toBe('refused')
    },
  )

  it.each([301, 302, 303, 307, 308])(
    'stops the run on %d before the first success, and is ambiguous after it',
    status => {
      expect(classify(answered(status), false)).toBe('unauthorized')
      expect(classify(answered(status), true)).toBe('ambiguous')
    },
  )

  it.each([500, 501, 502, 504, 520, 599])('is ambiguous when the answer is %d', status => {
    expect(classify(answered(status), true)).toBe('ambiguous')
  })

  it.each(faults)('is what a rule says that speaks of the answer: %s', means => {
    for (const status of [200, 302, 400, 401, 403, 408, 429, 500, 503])
      expect(classify(answered(status), false, { means })).toBe(means)
  })

  it('is none that a rule can speak of while there is no answer', () => {
    expect(classify({ sent: false }, true, { means: 'refused' })).toBe('never_reached')
    expect(classify(sent, true, { means: 'refused' })).toBe('ambiguous')
  })

  it.each([200, 201, 204])('is ambiguous when the answer is %d without a readable record_id', status => {
    expect(classify(answered(status), false)).toBe('ambiguous')
  })
})
