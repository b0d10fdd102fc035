import { describe, expect, it } from 'vitest'
import { made } from '../../../support/mappings.ts'

/** What each text becomes. */
const table = (parts: object, rows: Readonly<Record<string, unknown>>) => {
  for (const [text, expected] of Object.entries(rows))
    expect([text, made(parts, text)]).toEqual([text, expected])
}
const refused = (message: string) => ({ refused: message })
const all = (texts: readonly string[], expected: unknown) =>
  Object.fromEntries(texts.map(text => [text, expected]))

describe('as: string', () => {
  it('as: string is the text: never a number by itself, leading zeros stay', () =>
    table({ as: 'string' }, { '0042': '0042', '1e5': '1e5', TRUE: 'TRUE', '2026-10-05': '2026-10-05' }))
})

describe('as: boolean', () => {
  const notBoolean = refused('is neither yes (true, yes, y, 1, on, x) nor no (false, no, n, 0, off)')

  it('as: boolean knows the usual words, without case', () => {
    table({ as: 'boolean' }, all(['true', 'TRUE', 'yes', 'Y', '1', 'On', 'x', ' X '], true))
    table({ as: 'boolean' }, all(['false', 'False', 'NO', 'n', '0', 'off'], false))
    table({ as: 'boolean' }, all(['maybe', 'tru', '2', '-'], notBoolean))
  })

  it('as: boolean takes words of its own, and keeps the usual ones for the other side', () => {
    table(
      { as: 'boolean', true: ['ja'], false: ['nein'] },
      { Ja: true, NEIN: false, yes: refused('is neither yes (ja) nor no (nein)') },
    )
    table({ as: 'boolean', true: ['v', 1] }, { V: true, '1': true, no: false, '0': false })
  })

  it('as: boolean passes the booleans and numbers of an NDJSON row', () => {
    expect(made({ as: 'boolean' }, true)).toBe(true)
    expect(made({ as: 'boolean', true: ['ja'] }, false)).toBe(false)
    expect(made({ as: 'boolean' }, 1)).toBe(true)
    expect(made({ as: 'boolean' }, 0)).toBe(false)
    expect(made({ as: 'boolean' }, 2)).toEqual(notBoolean)
  })
})

describe('as: duration', () => {
  const notDuration = refused('is not a duration such as 90, 1h 30m, 30 minutes or PT1H')

  it('as: duration is a number of the unit that is asked for', () => {
    const texts = {
      '1h 30m': 1.5,
      '90 minutes': 1.5,
      '1:30': 1.5,
      '1:30:36': 1.51,
      PT1H30M: 1.5,
      '5400s': 1.5,
      '1.5h': 1.5,
      '1,5 hrs': 1.5,
    }
    table({ as: 'duration', unit: 'hours' }, texts)
    table(
      { as: 'duration', unit: 'minutes' },
      { '1h 30m': 90, '2 hours, 5 min.': 125, PT90S: 1.5, '30 Minutes': 30 },
    )
    table({ as: 'duration', unit: 'seconds' }, { '1h': 3600, '0:01': 60, '2m 3s': 123 })
  })

  it('as: duration takes a number alone for one of that unit already', () => {
    for (const unit of ['hours', 'minutes', 'seconds'])
      table({ as: 'duration', unit }, { '90': 90, '1.5': 1.5, '1,5': 1.5, '0': 0 })
    expect(made({ as: 'duration', unit: 'hours' }, 2.5)).toBe(2.5)
  })

  it('as: duration counts days and weeks only if it is said how long a day is', () => {
    const noLength = refused('counts days or weeks, which have no fixed length; set hours_per_day')
    table({ as: 'duration', unit: 'hours' }, all(['1d', '2 weeks', 'P1D'], noLength))
    table(
      { as: 'duration', unit: 'hours', hours_per_day: 8 },
      { '1d': 8, '1w 1d 1h': 49, '2 weeks': 80, P1DT2H: 10 },
    )
    table({ as: 'duration', unit: 'hours', hours_per_day: 24 }, { '1d': 24, '1w': 168 })
  })

  it('as: duration refuses what is none', () =>
    table(
      { as: 'duration', unit: 'hours' },
      all(['soon', '1x', '-1h', '1:60', 'PT', 'P', '1h x', 'h', '1 month', '30m 1'], notDuration),
    ))
})

describe('as: email', () => {
  it('as: email is the address in lower case', () =>
    table(
      { as: 'email' },
      {
        'Ada@Example.COM': 'ada@example.com',
        ' a.b+tag@sub.example.co.uk ': 'a.b+tag@sub.example.co.uk',
        "o'neill@example.org": "o'neill@example.org",
        'zoë@büro.example': 'zoë@büro.example',
        'x@1-2.example': 'x@1-2.example',
      },
    ))

  it('as: email refuses what is none', () =>
    table(
      { as: 'email' },
      all(
        [
          'nope',
          'a@b',
          '@example.com',
          'a@',
          'a@@example.com',
          'a b@example.com',
          'a@exa mple.com',
          'a@example..com',
          'a@.example.com',
          'a@example.com.',
          'a@-x.com',
          '.a@example.com',
          'a..b@example.com',
          'a.@example.com',
          'Ada <a@example.com>',
          'a@example.com, b@example.com',
          'a@example.com;',
          'grace at example.com',
        ],
        refused('is not an e-mail address'),
      ),
    ))
})

describe('as: phone', () => {
  it('as: phone is E.164, the country of numbers without one being that of the mapping', () => {
    table(
      { as: 'phone', country: 'GB' },
      {
        '020 7946 0101': '+442079460101',
        '(020) 7946-0101': '+442079460101',
        '+1 202-555-0147': '+12025550147',
        '+49 30 23125099': '+493023125099',
      },
    )
    expect(made({ as: 'phone', country: 'DE' }, '030/23125099')).toBe('+493023125099')
    expect(made({ as: 'phone' }, '+442079460101')).toBe('+442079460101')
  })

  it('as: phone says so if the country is what is missing', () => {
    expect(made({ as: 'phone' }, '020 7946 0101')).toEqual(
      refused('is a phone number without a country; write it with + or set country'),
    )
    expect(made({ as: 'phone' }, 'nope')).toEqual(refused('is not a phone number'))
  })

  it('as: phone refuses what is none', () =>
    table(
      { as: 'phone', country: 'GB' },
      all(['nope', '12', '+', '+44', 'ask Ada', '1'.repeat(40)], refused('is not a phone number')),
    ))
})

describe('as: url', () => {
  it('as: url is a web address as it was written, with https:// if it has no scheme', () =>
    table(
      { as: 'url' },
      {
        'https://www.Example.com/In?trk=1#x': 'https://www.Example.com/In?trk=1#x',
        'http://example.com': 'http://example.com',
        'example.com/a': 'https://example.com/a',
        'www.linkedin.com/in/zoë': 'https://www.linkedin.com/in/zoë',
        'example.com:8080': 'https://example.com:8080',
      },
    ))

  it('as: url refuses what is none', () =>
    table(
      { as: 'url' },
      all(
        [
          'nope',
          'a b.example',
          'javascript:alert(1)',
          'ftp://example.com',
          'mailto:a@example.com',
          'http://',
          '@ada',
          'https://u:p@example.com',
          '/path',
        ],
        refused('is not a web address'),
      ),
    ))
})

describe('as: domain', () => {
  it('as: domain is the host without www.', () =>
    table(
      { as: 'domain' },
      {
        'https://www.Example.com:8080/menu?x=1': 'example.com',
        'EXAMPLE.com': 'example.com',
        'www.example.co.uk/': 'example.co.uk',
        'http://shop.example.com.': 'shop.example.com',
        'büro.example': 'büro.example',
        'www.com': 'www.com',
      },
    ))

  it('as: domain refuses what is none', () =>
    table(
      { as: 'domain' },
      all(['localhost', 'x y', '127.0.0.1', 'a@b.example', 'https://', '.'], refused('is not a domain')),
    ))
})

describe('as: html', () => {
  it('as: html escapes every sign that means something in markup', () =>
    expect(made({ as: 'html' }, `</p><script>alert("1" & '2')</script>`)).toBe(
      '<p>&lt;/p&gt;&lt;script&gt;alert(&quot;1&quot; &amp; &#39;2&#39;)&lt;/script&gt;</p>',
    ))

  it('as: html keeps paragraphs and line breaks, whatever line ends they have', () => {
    for (const end of ['\n', '\r\n', '\r'])
      expect(made({ as: 'html' }, ['One', 'two', '', ' ', 'Three'].join(end))).toBe(
        '<p>One<br>two</p><p>Three</p>',
      )
  })
})

describe('as: markdown', () => {
  it('as: markdown becomes markup', () =>
    expect(made({ as: 'markdown' }, '# Plan\n\n- **one**\n- [two](https://example.com)')).toBe(
      '<h1>Plan</h1>\n<ul>\n<li><strong>one</strong></li>\n<li><a href="https://example.com">two</a></li>\n</ul>',
    ))

  it('as: markdown leaves raw HTML and scripts as text', () => {
    expect(made({ as: 'markdown' }, '<script>alert(1)</script> **b**')).toBe(
      '<p>&lt;script&gt;alert(1)&lt;/script&gt; <strong>b</strong></p>',
    )
    expect(made({ as: 'markdown' }, '<img src=x onerror=alert(1)>')).not.toContain('<img')
    expect(made({ as: 'markdown' }, '[x](javascript:alert(1))')).not.toContain('<a')
  })
})

describe('as: uuid', () => {
  it('as: uuid is a UUID in lower case', () => {
    table({ as: 'uuid' }, { '6A0D8A0E-4F5B-4C58-9A57-1F1B0F6F2D11': '6a0d8a0e-4f5b-4c58-9a57-1f1b0f6f2d11' })
    table(
      { as: 'uuid' },
      all(
        [
          '6a0d8a0e',
          '6a0d8a0e4f5b4c589a571f1b0f6f2d11',
          '{6a0d8a0e-4f5b-4c58-9a57-1f1b0f6f2d11}',
          'g'.repeat(36),
        ],
        refused('is not a UUID'),
      ),
    )
  })
})

describe('as: json', () => {
  it('as: json is what the cell says', () => {
    table(
      { as: 'json' },
      { '{"a":[1,null]}': { a: [1, null] }, '5': 5, false: false, '"x"': 'x', '[1,2]': [1, 2] },
    )
    table({ as: 'json' }, all(['null', '""', '[]'], undefined))
    table({ as: 'json' }, all(['{', 'nope', "{'a':1}"], refused('is not JSON')))
  })

  it('as: json passes what is no text in an NDJSON row', () => {
    expect(made({ as: 'json' }, { a: 1 })).toEqual({ a: 1 })
    expect(made({ as: 'json' }, [1, { b: 2 }])).toEqual([1, { b: 2 }])
    expect(made({ as: 'json' }, 0)).toBe(0)
  })
})

describe('every other `as`', () => {
  const others = [
    'integer',
    'number',
    'boolean',
    'date',
    'datetime',
    'email',
    'phone',
    'url',
    'domain',
    'html',
    'markdown',
    'uuid',
  ]

  it('every other `as` refuses an object', () => {
    const message = 'is an object where text is needed; name a field of it (column.field), or use as: json'
    for (const as of ['string', ...others])
      expect([as, made({ as }, { a: 1 })]).toEqual([as, refused(message)])
  })

  it('every other `as` leaves an empty cell empty', () => {
    for (const as of [...others, 'json']) expect([as, made({ as }, ' ')]).toEqual([as, undefined])
  })
})
