import { describe, expect, it } from 'vitest'
import { compileMapping } from '../../../../src/mapping/mapping.ts'
import { draftOfFile } from '../../../support/drafts.ts'
import { read } from '../../../support/read-input.ts'

const card = (...lines: string[]) => ['BEGIN:VCARD', 'VERSION:2.1', ...lines, 'END:VCARD', ''].join('\r\n')

/** The names that the draft for a file of cards would send; undefined for a card that is refused. */
async function namesIn(text: string) {
  const bytes = Buffer.from(text, 'latin1')
  const draft = await draftOfFile('old.vcf', bytes)
  const mapping = compileMapping('draft.yaml', draft.text, '')
  const rows = await read(bytes, { format: 'vcard', encoding: draft.mapping.source?.encoding })
  const names = rows.map(row => {
    const mapped = row.fault ? {} : mapping.map(row)
    return 'body' in mapped ? (mapped.body as { name?: string }).name : undefined
  })
  return { ...draft, names }
}

describe('draft for cards', () => {
  it.each([
    [
      'windows-1252',
      ['N;ENCODING=QUOTED-PRINTABLE:St=F6ne;J=E4n', 'N:M\xfcller;J\xf6rg'],
      ['Jän Stöne', 'Jörg Müller'],
    ],
    ['windows-1251', ['FN;QUOTED-PRINTABLE:=C8=E2=E0=ED =CF=E5=F2=F0=EE=E2'], ['Иван Петров']],
    [
      'windows-1250',
      ['FN;ENCODING=QUOTED-PRINTABLE:Ji=F8=ED =8Aim=E1=E8ek', 'FN:Luk\xe1\x9a'],
      ['Jiří Šimáček', 'Lukáš'],
    ],
  ])('the draft for cards finds %s in quoted-printable without a charset', async (encoding, lines, names) => {
    const found = await namesIn(lines.map(line => card(line, 'TEL:+49 30 901820')).join(''))
    expect(found.mapping.source).toMatchObject({ format: 'vcard', encoding })
    expect(found.names).toEqual(names)
  })

  it('the draft for cards leaves lines with a charset of their own out of the guess', async () => {
    const { mapping, names } = await namesIn(
      card('FN;CHARSET=UTF-8;QUOTED-PRINTABLE:J=C3=B6rg') + card('FN;QUOTED-PRINTABLE:M=FCller'),
    )
    expect(mapping.source.encoding).toBe('windows-1252')
    expect(names).toEqual(['Jörg', 'Müller'])
  })

  it('the draft for cards of which one is broken reads the others', async () => {
    const { counts, mapping, names } = await namesIn(
      card('FN:Ren\xe9') +
        ['Zo\xc3\xab', 'J\xc3\xb6rg', '\xc3\x84nne'].map(name => card(`FN:${name}`)).join(''),
    )
    expect(mapping.source).toEqual({ format: 'vcard', encoding: 'utf-8' })
    expect(counts).toEqual({ rows: 4, refused: 1 })
    expect(names).toEqual([undefined, 'Zoë', 'Jörg', 'Änne'])
  })

  it('the draft for cards is the preset, even if no card can be read', async () => {
    const { text } = await draftOfFile('a.vcf', 'BEGIN:VCARD\r\nFN:Ada\r\nno end\r\n')
    expect(text).toContain('preset vcard')
    expect(text).not.toContain('COLUMN]')
  })
})

describe('draft for a calendar', () => {
  const part = (name: string, ...lines: readonly string[]) => [`BEGIN:${name}`, ...lines, `END:${name}`]
  const calendar = (...lines: readonly string[]) =>
    Buffer.from(`${part('VCALENDAR', ...lines).join('\r\n')}\r\n`)
  const event = part('VEVENT', 'UID:1', 'SUMMARY:Sweep', 'DTSTART:20260521T090000Z', 'DTEND:20260521T100000Z')

  it('the draft for a calendar of nothing but events reads these, and says so', async () => {
    const { text, mapping } = await draftOfFile('plan.ics', calendar(...event))
    expect(mapping.source).toMatchObject({ format: 'icalendar', rows: 'events' })
    expect(text).toContain('so each event is read as a task')
  })

  it('the draft for a calendar with a task passes over its events', async () => {
    const { text, mapping } = await draftOfFile('plan.ics', calendar(...event, ...part('VTODO', 'UID:2')))
    expect(mapping.source).not.toHaveProperty('rows')
    expect(text).not.toContain('each event')
  })
})
