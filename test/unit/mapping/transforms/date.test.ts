import { describe, expect, it } from 'vitest'
import { made } from '../../../support/mappings.ts'

const notDate = (...formats: string[]) => ({ refused: `is not a date in the format ${formats.join(' or ')}` })

/** What each text becomes. */
const table = (parts: object, rows: Readonly<Record<string, unknown>>) => {
  for (const [text, expected] of Object.entries(rows))
    expect([text, made(parts, text)]).toEqual([text, expected])
}

describe('date', () => {
  it('a date is the start of its day, without a mark', () =>
    table({ as: 'date' }, { '2026-10-05': '2026-10-05T00:00:00', ' 2028-02-29 ': '2028-02-29T00:00:00' }))

  it('a date never passes a time zone, wherever the job runs and whatever zone is said', () => {
    const before = process.env.TZ
    try {
      for (const TZ of ['Pacific/Kiritimati', 'Pacific/Pago_Pago', 'UTC']) {
        process.env.TZ = TZ
        for (const zone of [undefined, 'Pacific/Auckland', 'America/Los_Angeles'])
          for (const as of ['date', 'datetime']) {
            expect(made({ as, zone }, '2026-10-05')).toBe('2026-10-05T00:00:00')
            expect(made({ as, zone, format: 'dd.MM.yyyy' }, '05.10.2026')).toBe('2026-10-05T00:00:00')
          }
      }
    } finally {
      if (before === undefined) delete process.env.TZ
      else process.env.TZ = before
    }
  })

  it('a date is the day of a time, as its wall clock shows it', () =>
    table(
      { as: 'date' },
      {
        '2026-10-05T23:30:00': '2026-10-05T00:00:00',
        '2026-10-05 23:30': '2026-10-05T00:00:00',
        '2026-10-05T23:30:00-05:00': '2026-10-05T00:00:00',
      },
    ))

  it('a date is the day that an instant has in the zone that is said', () =>
    expect(made({ as: 'date', zone: 'Europe/Berlin' }, '2026-10-04T23:00:00Z')).toBe('2026-10-05T00:00:00'))

  it('a date is refused when there is no such day, or it is none', () =>
    table(
      { as: 'date' },
      Object.fromEntries(
        [
          '2026-02-30',
          '2026-13-01',
          'TBD',
          'Q1 2026',
          '--03-07',
          '05/10/2026',
          '20261005',
          '2026-10',
          '1',
        ].map(text => [text, notDate('iso')]),
      ),
    ))
})

describe('time', () => {
  it('a time without a zone stays a wall-clock time without a mark', () =>
    table(
      { as: 'datetime' },
      {
        '2026-10-05T14:30:00': '2026-10-05T14:30:00',
        '2026-10-05 14:30': '2026-10-05T14:30:00',
        '2026-10-05 14:30:15.250': '2026-10-05T14:30:15.250',
      },
    ))

  it('a time becomes UTC if the zone of its wall clock is said', () => {
    table(
      { as: 'datetime', zone: 'Europe/Berlin' },
      {
        '2026-01-15T12:00:00': '2026-01-15T11:00:00Z',
        '2026-07-15 12:00': '2026-07-15T10:00:00Z',
        '2026-03-29T01:59:59': '2026-03-29T00:59:59Z',
        '2026-03-29T03:00:00': '2026-03-29T01:00:00Z',
        '2026-10-25T01:59:59': '2026-10-24T23:59:59Z',
        '2026-10-25T03:00:00': '2026-10-25T02:00:00Z',
        '2026-01-01T00:30:00': '2025-12-31T23:30:00Z',
      },
    )
    expect(made({ as: 'datetime', zone: 'Asia/Kathmandu' }, '2026-01-15T12:00:00')).toBe(
      '2026-01-15T06:15:00Z',
    )
    expect(made({ as: 'datetime', zone: 'America/St_Johns' }, '2026-01-15T12:00:00')).toBe(
      '2026-01-15T15:30:00Z',
    )
  })

  it('a time that does not exist in its zone is refused with both readings', () =>
    expect(made({ as: 'datetime', zone: 'Europe/Berlin' }, '2026-03-29T02:30:00')).toEqual({
      refused:
        'does not exist in Europe/Berlin, where the clock was put forward; it could be 2026-03-29T00:30:00Z or 2026-03-29T01:30:00Z',
    }))

  it('a time that exists twice in its zone is refused with both readings', () =>
    expect(made({ as: 'datetime', zone: 'Europe/Berlin' }, '2026-10-25T02:30:00')).toEqual({
      refused:
        'exists twice in Europe/Berlin, where the clock was put back; it could be 2026-10-25T00:30:00Z or 2026-10-25T01:30:00Z',
    }))

  it('a time that exists twice or not at all is left alone if no zone is said', () =>
    expect(made({ as: 'datetime' }, '2026-03-29T02:30:00')).toBe('2026-03-29T02:30:00'))

  it('a time of a day that a zone left out is refused', () =>
    expect(made({ as: 'datetime', zone: 'Pacific/Apia' }, '2011-12-30T12:00:00')).toMatchObject({
      refused: expect.stringContaining('does not exist in Pacific/Apia'),
    }))

  it('a time with an offset becomes UTC, whatever zone is said', () => {
    for (const zone of [undefined, 'Europe/Berlin'])
      table(
        { as: 'datetime', zone },
        {
          '2026-10-05T14:30:00Z': '2026-10-05T14:30:00Z',
          '2026-10-05T14:30:00+02:00': '2026-10-05T12:30:00Z',
          '2018-12-11T23:00:00+0000': '2018-12-11T23:00:00Z',
          '2026-10-05 14:30:00 -0330': '2026-10-05T18:00:00Z',
          '2026-10-05T14:30:00.5Z': '2026-10-05T14:30:00.500Z',
          '2026-10-05T01:00+05': '2026-10-04T20:00:00Z',
        },
      )
  })

  it('a time with both a Z and an offset is refused', () =>
    expect(made({ as: 'datetime' }, '2010-10-14T12:00:00.000Z-0300')).toEqual(notDate('iso')))

  it('a time is refused when there is none on that clock', () =>
    table(
      { as: 'datetime' },
      { '2026-10-05T25:00': notDate('iso'), '2026-10-05T12:60': notDate('iso'), noon: notDate('iso') },
    ))
})

describe('format', () => {
  it('a format is written in the tokens of Luxon', () => {
    table(
      { as: 'date', format: 'dd/MM/yyyy' },
      { '05/10/2026': '2026-10-05T00:00:00', '31/02/2026': notDate('dd/MM/yyyy') },
    )
    table({ as: 'date', format: 'M/d/yy' }, { '1/2/26': '2026-01-02T00:00:00', '13/1/26': notDate('M/d/yy') })
    table({ as: 'datetime', format: 'dd/LLL/yy h:mm a' }, { '09/Jan/24 3:54 PM': '2024-01-09T15:54:00' })
    table({ as: 'date', format: 'dd MMM yyyy' }, { '05 Jan 2020': '2020-01-05T00:00:00' })
    table(
      { as: 'datetime', format: "yyyy-MM-dd'T'HH:mm:ssZZZ" },
      { '2026-10-05T10:00:00+0200': '2026-10-05T08:00:00Z' },
    )
  })

  it('a format of a time takes the zone of its wall clock', () =>
    expect(
      made({ as: 'datetime', format: 'dd.MM.yyyy HH:mm', zone: 'Europe/Berlin' }, '05.10.2026 14:30'),
    ).toBe('2026-10-05T12:30:00Z'))

  it('a format may hold words in quotes that are no tokens', () =>
    expect(
      made({ as: 'datetime', format: "dd.MM.yyyy 'um' HH'h'mm", zone: 'UTC' }, '05.10.2026 um 14h30'),
    ).toBe('2026-10-05T14:30:00Z'))

  it('a format reads the names of months in the language that is said', () => {
    expect(made({ as: 'date', format: 'd. MMMM yyyy', locale: 'de' }, '5. März 2026')).toBe(
      '2026-03-05T00:00:00',
    )
    expect(made({ as: 'date', format: 'd MMMM yyyy', locale: 'fr' }, '5 août 2026')).toBe(
      '2026-08-05T00:00:00',
    )
    expect(made({ as: 'date', format: 'd MMMM yyyy' }, '5 août 2026')).toEqual(notDate('d MMMM yyyy'))
  })

  it('a format may be one of several, tried in their order', () => {
    const format = ['dd/MM/yyyy', 'MM/dd/yyyy', 'iso', 'epoch_s']
    table(
      { as: 'date', format },
      {
        '03/05/2026': '2026-05-03T00:00:00',
        '03/25/2026': '2026-03-25T00:00:00',
        '2026-10-05': '2026-10-05T00:00:00',
        '1791158400': '2026-10-05T00:00:00',
        soon: notDate(...format),
      },
    )
  })

  it('a format may be the milliseconds or seconds since 1970, as text or as a number', () => {
    expect(made({ as: 'datetime', format: 'epoch_ms' }, '1791158400000')).toBe('2026-10-05T00:00:00Z')
    expect(made({ as: 'datetime', format: 'epoch_ms' }, 1791158400123)).toBe('2026-10-05T00:00:00.123Z')
    expect(made({ as: 'datetime', format: 'epoch_s' }, '1791158400.5')).toBe('2026-10-05T00:00:00.500Z')
    expect(made({ as: 'datetime', format: 'epoch_s' }, -1)).toBe('1969-12-31T23:59:59Z')
    expect(made({ as: 'date', format: 'epoch_ms', zone: 'Asia/Tokyo' }, '1791126000000')).toBe(
      '2026-10-05T00:00:00',
    )
    for (const text of ['null', '1e12', '99999999999999999999', ''.padEnd(3, '-')])
      expect(made({ as: 'datetime', format: 'epoch_ms' }, text)).toEqual(notDate('epoch_ms'))
  })

  it('a format may be the days that Excel counts', () => {
    table(
      { as: 'datetime', format: 'excel' },
      {
        '1': '1900-01-01T00:00:00',
        '59': '1900-02-28T00:00:00',
        '60': notDate('excel'),
        '61': '1900-03-01T00:00:00',
        '46300': '2026-10-05T00:00:00',
        '46300.5': '2026-10-05T12:00:00',
        '46300.999999': '2026-10-06T00:00:00',
        '0': notDate('excel'),
        '-1': notDate('excel'),
        '2958466': notDate('excel'),
        x: notDate('excel'),
      },
    )
    expect(made({ as: 'date', format: 'excel' }, 46300.75)).toBe('2026-10-05T00:00:00')
    expect(made({ as: 'datetime', format: 'excel', zone: 'Europe/Berlin' }, '46300.5')).toBe(
      '2026-10-05T10:00:00Z',
    )
  })
})
