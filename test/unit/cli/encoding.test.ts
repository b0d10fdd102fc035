import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import iconv from 'iconv-lite'
import { expect, it } from 'vitest'
import { runCli } from '../../../src/cli/cli.ts'
import { silentContext } from '../../support/context.ts'
import { pollOptions } from '../../support/polling.ts'
import { folderWith, into, linesOf, outcomesIn, rowlift } from '../../support/rowlift.ts'
import { madeBy, startService } from '../../support/service.ts'

const mapping = (more = '') =>
  `record: task\nkey: Nr\nsource: { delimiter: ";", encoding: cp850 }\n${more}body: { name: "{{Titel}}" }\n`
const source = 'Nr;Titel\n1;Start\n2;Prüfung ablegen\n'
const told = ':3: the text is UTF-8, but was to be read as cp850: "├╝" instead of "ü"'

it('text in the wrong encoding ends a run before anything is sent, with the way to go on', async () => {
  const service = await startService()
  const cwd = await folderWith({ 'm.yaml': mapping(), 'good.csv': 'Nr;Titel\n0;Null\n', 'a.csv': source })
  const args = ['import', 'good.csv', 'a.csv', '-m', 'm.yaml', ...into(service.url)]
  const refused = await rowlift(args, { cwd })
  expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(`a.csv${told}`) })
  expect(refused.stderr).toContain('--encoding utf-8, or encoding: utf-8 under source: in the mapping')
  expect(service.calls).toHaveLength(0)
  expect((await rowlift([...args, '--dry-run'], { cwd })).exitCode).toBe(2)
  expect((await rowlift([...args, '--encoding', 'utf-8'], { cwd })).exitCode).toBe(0)
  expect(madeBy(service)).toEqual(['Null', 'Prüfung ablegen', 'Start'])
})

it.each([
  ['shift_jis', '件名;担当者\n花に水をやる;鈴木\n'],
  ['windows-1252', 'Titel;Wer\nPrüfung;Jörg\n'],
])(
  'text that is not UTF-8 ends a run with the encoding that it seems to have: %s',
  async (encoding, text) => {
    const cwd = await folderWith({ 'm.yaml': mapping(), 'a.csv': iconv.encode(text, encoding) })
    const { stderr } = await rowlift(
      ['import', 'a.csv', '-m', 'm.yaml', '--encoding', 'utf-8', '--dry-run'],
      { cwd },
    )
    expect(stderr).toContain(`name its encoding, such as --encoding ${encoding}, or`)
  },
)

it('text in the wrong encoding is read as a flag, the environment or a setting says', async () => {
  const cwd = await folderWith({ 'm.yaml': mapping(), 'a.csv': source, 's.yaml': 'trust-encoding: true\n' })
  const args = ['import', 'a.csv', '-m', 'm.yaml', '--dry-run', '--preview', '-']
  for (const [more, env] of [
    [['--trust-encoding', '--encoding', 'cp850'], {}],
    [['--config', 's.yaml'], {}],
    [[], { ROWLIFT_TRUST_ENCODING: 'true' }],
  ] as const) {
    const { stdout } = await rowlift([...args, ...more], { cwd, env })
    expect(linesOf(stdout).map(({ body }) => body.name)).toEqual(['Start', 'Pr├╝fung ablegen'])
  }
})

it('text in the wrong encoding from a pipe stops the run, and the next one goes on', async () => {
  const service = await startService()
  const cwd = await folderWith({ 'm.yaml': mapping() })
  const stdin = new PassThrough()
  const args = ['import', '-', '-m', 'm.yaml', ...into(service.url)]
  const running = runCli(args, { ...silentContext(), stdin, cwd })
  stdin.write('Nr;Titel\n1;Start\n3;Ende\n')
  await expect.poll(() => service.calls.length, pollOptions).toBe(1)
  stdin.end('2;Prüfung ablegen\n')
  expect(await running).toBe(3)
  expect((await outcomesIn(join(cwd, 'results.ndjson'))).map(({ status }) => status)).toEqual(['created'])
  expect((await rowlift([...args, '--encoding', 'utf-8'], { cwd, stdin: source })).exitCode).toBe(0)
  expect(madeBy(service)).toEqual(['Prüfung ablegen', 'Start'])
  expect((await rowlift(args, { cwd, stdin: source })).exitCode).toBe(2)
})

it('text in the wrong encoding is found in a lookup, too, and its remedy names the lookup', async () => {
  const lookups = 'lookups: { people: { file: p.csv, key: Name, value: Id, source: { encoding: latin1 } } }\n'
  const body = 'body: { name: "{{Titel}}", owner: { from: Titel, lookup: people } }\n'
  const more = `allow_unknown_fields: true\n${lookups}`
  const cwd = await folderWith({
    'm.yaml': mapping(more)
      .replace(/encoding: cp850/, 'encoding: utf-8')
      .replace(/body.*\n/, body),
    'a.csv': source,
    'p.csv': 'Name,Id\nPrüfung ablegen,7\nStart,8\n',
  })
  const args = ['import', 'a.csv', '-m', 'm.yaml', '--dry-run']
  const refused = await rowlift(args, { cwd })
  expect(refused.exitCode).toBe(2)
  expect(refused.stderr).toContain('p.csv:2: the text is UTF-8, but was to be read as latin1')
  expect(refused.stderr).toContain('give encoding: utf-8 under source: of lookups.people in the mapping')
  expect((await rowlift([...args, '--trust-encoding'], { cwd })).exitCode).toBe(1)
  await writeFile(join(cwd, 'p.csv'), Buffer.from('Name,Id\nPrüfung ablegen,7\nStart,8\n', 'latin1'))
  expect((await rowlift(args, { cwd })).exitCode).toBe(0)
})
