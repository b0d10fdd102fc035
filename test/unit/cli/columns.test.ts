import { describe, expect, it } from 'vitest'
import { folderWith, rowlift } from '../../support/rowlift.ts'

const mapping = `record: contact
key: Nummer
allow_unknown_fields: true
body:
  name: "{{Vorname}} {{Name}}"
  a: "{{Straße}} {{Hausnr}}"
  b: "{{Straße}}, {{PLZ}} {{Ort}}"
`
const header = 'Nummer;Vorname;Name;Straße;Hausnr;PLZ;Ort'
const row = '7;Ida;Öz;Gasse;3;89073;Ulm'
const run = ['import', 'a.csv', '-m', 'm.yaml', '--dry-run']

async function told(content: string | Buffer, ...more: string[]) {
  const cwd = await folderWith({ 'm.yaml': mapping, 'a.csv': content })
  const { exitCode, stderr } = await rowlift([...run, ...more], { cwd })
  expect(exitCode).toBe(2)
  return stderr
}

describe('unknown columns', () => {
  it('a run without most columns shows once which delimiter makes them known', async () => {
    expect(await told(`${header}\n${row}\n`)).toBe(
      'rowlift: a.csv: its delimiter seems to be ";", which makes its header Nummer, Vorname, Name, Straße, Hausnr, PLZ, Ort; give --delimiter ";", or delimiter: ";" under source: in the mapping\n',
    )
  })

  it('a run without most columns shows once which columns are missing, and which are there', async () => {
    expect(await told('Id,Name,Town\n1,Ida,Ulm\n')).toBe(
      'rowlift: m.yaml:1:1: the header of a.csv lacks most columns that this mapping names (Vorname, Straße, Hausnr, PLZ, Ort, Nummer); is it the right file? It has Id, Name, Town\n',
    )
  })

  it.each([
    ['Id;Town\n1;Ulm\n', ';'],
    ['Id\tTown\n1\tUlm\n', '\\t'],
  ])('a run without most columns shows once that the delimiter may be another: %j', async (content, sign) => {
    expect(await told(content)).toContain(`, or with --delimiter "${sign}" several columns\n`)
  })
})

it('one unknown column of many is reported at each of its places', async () => {
  const said = await told(`${header.replace('PLZ', 'Plz')}\n${row}\n`, '--delimiter', ';')
  expect(said).toBe(
    'rowlift: m.yaml:7:6: unknown column "PLZ"; did you mean "Plz"? (the header of a.csv has no such column)\n',
  )
})

it('a line of another delimiter is no near miss', async () => {
  const cwd = await folderWith({
    'm.yaml': 'record: task\nbody: { name: { from: Title } }\n',
    'a.csv': 'Titles\tWho\n',
  })
  const { stderr } = await rowlift(run, { cwd })
  expect(stderr).toContain('unknown column "Title" (the header of a.csv has no such column)')
})

it('a column in the wrong encoding is never suggested, but the encoding is', async () => {
  const latin = Buffer.from(`${header}\n${row}\n`, 'latin1')
  const said = await told(latin, '--delimiter', ';', '--encoding', 'macintosh')
  expect(said).toContain('its encoding seems to be windows-1252, which makes its header Nummer')
  const insisted = ['--delimiter', ';', '--encoding', 'windows-1252', '--trust-encoding']
  expect(await told(`${header}\n${row}\n`, ...insisted)).toContain('give --encoding utf-8')
  const lost = await told(`${header.replace('ß', '\ufffd')}\n${row}\n`, '--delimiter', ';')
  expect(lost).toContain('unknown column "Straße" (the header')
})

it('the delimiter of a lookup is reported with its place in the mapping', async () => {
  const lookups =
    'lookups: { plz: { file: plz.csv, key: PLZ, value: Kreis } }\nbody:\n  c: { from: PLZ, lookup: plz }\n'
  const cwd = await folderWith({
    'm.yaml': mapping.replace('body:\n', lookups),
    'a.csv': `${header}\n${row}\n`,
    'plz.csv': 'PLZ|Kreis\n89073|Ulm\n',
  })
  const { exitCode, stderr } = await rowlift([...run, '--delimiter', ';'], { cwd })
  expect(exitCode).toBe(2)
  expect(stderr).toContain('plz.csv: its delimiter seems to be "|", which makes its header PLZ, Kreis')
  expect(stderr).toContain('give delimiter: "|" under source: of lookups.plz in the mapping')
})
