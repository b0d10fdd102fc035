import fc from 'fast-check'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { formsOfToken, oddToken, tokensIn } from '../../support/hostile-text.ts'

const sign = fc.integer({ min: 0x21, max: 0x7e }).map(code => String.fromCharCode(code))

describe('token', () => {
  let keepSecret: (token: string) => void
  let masked: (text: string) => string

  /** Tokens of other tests are none of these, nor the other way round. */
  beforeEach(async () => {
    vi.resetModules()
    const secrets = await import('../../../src/model/secrets.ts')
    keepSecret = secrets.keepSecret
    masked = secrets.masked
  })

  it('a token is masked as it is, in addresses, in JSON and in base64, wherever it stands', () => {
    keepSecret(oddToken)
    for (const form of formsOfToken(oddToken)) {
      expect(masked(`<${form}> and ${form}`), form).toMatch(/^<.*\[token\].*> and .*\[token\]/)
      expect(tokensIn(masked(form), oddToken)).toEqual([])
    }
    expect(masked(JSON.stringify({ a: oddToken, b: [encodeURIComponent(oddToken)] }))).toBe(
      '{"a":"[token]","b":["[token]"]}',
    )
  })

  it('a token is masked whatever its signs are, between whatever stands around it', () => {
    fc.assert(
      fc.property(fc.string({ unit: sign, minLength: 8, maxLength: 90 }), fc.string(), (token, around) => {
        keepSecret(token)
        for (const form of formsOfToken(token)) expect(masked(around + form)).toContain('[token]')
        for (const form of [token, encodeURIComponent(token)]) expect(masked(` ${form} `)).toBe(' [token] ')
      }),
      { numRuns: 20 },
    )
  })

  it('a token stays masked when another one took its place', () => {
    keepSecret('the-first-of-two')
    keepSecret('the-second-of-two')
    expect(masked('the-first-of-two, the-second-of-two, the-third-of-two')).toBe(
      '[token], [token], the-third-of-two',
    )
  })

  it('a token that is as short as a word does not make every text unreadable', () => {
    for (const token of ['', 'a', 'rows', 'created']) keepSecret(token)
    expect(masked('a total of 3 rows created')).toBe('a total of 3 rows created')
  })

  it('a token costs no more than its text is long', () => {
    keepSecret(`eyJ${'aB1-_.'.repeat(2000)}`)
    const texts = ['\\'.repeat(1e6), 'tok/en+5'.repeat(1e5), 'eyJaB1-_.aB1-'.repeat(1e5)]
    const startedMs = performance.now()
    for (const text of texts) expect(masked(text)).toBe(text)
    expect(performance.now() - startedMs).toBeLessThan(2_000)
  })
})
