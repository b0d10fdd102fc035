import { domainToUnicode } from 'node:url'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  domainTransform,
  emailTransform,
  urlTransform,
} from '../../../../src/mapping/transforms/transform.ts'
import { problem } from '../../../../src/model/problem.ts'
import { repeats } from '../../../support/random.ts'

/** Of a few characters, so that many texts are nearly an address. */
const textOf = (characters: string, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...characters), maxLength, size: 'max' })

const hosts = fc.tuple(
  textOf('abxn019-.', 80),
  fc.constantFrom('.com', '.xn', '.0x', '.a', '.b1', '.7', '.', ''),
)
const host = fc.oneof(
  hosts.map(parts => parts.join('')),
  fc.constantFrom('www.example.com', 'xn--bcher-kva.example', 'a.xn--b.com', 'EXAMPLE.com', 'bücher.example'),
)

describe('web address', () => {
  const schemes = fc.constantFrom('', 'http://', 'https://', 'HTTP://', 'ftp://', '//')
  const ends = textOf('/?#:@\\%[]{}|^`"<>.~!$a1é \u0000\u007f', 8)

  it('a web address is what the parser of URLs makes of it', () => {
    fc.assert(
      fc.property(schemes, host, ends, (scheme, name, end) => {
        const text = `${scheme}${name}${end}`.trim()
        const parsed = parse(text)
        expect(urlTransform(text)).toEqual(parsed?.text ?? problem('not_url'))
        const domain = parsed && domainToUnicode(parsed.url.hostname)
        expect(domainTransform(text)).toEqual(
          domain?.replace(/^www\.(?=.*\.)/, '').replace(/\.$/, '') ?? problem('not_domain'),
        )
      }),
      { numRuns: repeats(2000) },
    )
  })

  /** Every address by the parser. */
  function parse(text: string): { url: URL; text: string } | undefined {
    const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`
    if (/\s/.test(text) || !URL.canParse(whole)) return undefined
    const url = new URL(whole)
    const isWeb = /^https?:$/.test(url.protocol) && url.username === ''
    return isWeb && /[^.]\.[^.\d][^.]*\.?$/.test(url.hostname) ? { url, text: whole } : undefined
  }
})

describe('e-mail address', () => {
  const whole = /^[^\s@<>()[\]\\,;:"]+@([\p{L}\p{N}]([\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+[\p{L}\p{N}-]{2,}$/u

  it('an e-mail address is read alike by the pattern of all scripts', () => {
    const names = textOf('abAé019._+-,;" ', 12)
    fc.assert(
      fc.property(names, fc.constantFrom('@', '@@', '', '.@'), host, (name, at, domain) => {
        const text = name + at + domain
        const isAddress = whole.test(text) && !/^\.|\.\.|\.@/.test(text)
        expect(emailTransform(text)).toEqual(isAddress ? text.toLowerCase() : problem('not_email'))
      }),
      { numRuns: repeats(2000) },
    )
  })

  it('an e-mail address in a link is the address alone', () => {
    expect(emailTransform('mailto:Ada@example.com')).toBe('ada@example.com')
    expect(emailTransform('MAILTO:ada@example.com')).toBe('ada@example.com')
    expect(emailTransform('mailto:nobody')).toEqual(problem('not_email'))
  })
})
