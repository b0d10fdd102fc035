import { mkdir, readdir, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { runCli } from '../../../src/cli/cli.ts'
import { silentContext } from '../../support/context.ts'
import { folderWith, into, rowlift, summaryOf } from '../../support/rowlift.ts'
import { madeBy, type Service, startService } from '../../support/service.ts'

const people = 'Mail;Name\nmia@x.example;Mia\nnoor@x.example;Noor\n'
const files = {
  'spring.csv': people,
  'autumn.csv': `${people}otto@x.example;Otto\n`,
  'people.yaml':
    'record: contact\nkey: Mail\nsource: { delimiter: ";" }\nbody: { name: { from: Name, required: true } }\n',
}

let service: Service
let cwd: string
beforeEach(async () => {
  service = await startService()
  cwd = await folderWith(files)
})

const words = (source: string, results?: string) => [
  ...['import', source, '-m', 'people.yaml'],
  ...into(service.url, results).slice(0, results === undefined ? -2 : undefined),
]
/** Imports by the default name, which needs a terminal. */
const onTerminal = (...args: string[]) => runCli(args, { ...silentContext(), cwd, stderrIsTerminal: true })
const logs = async () => (await readdir(cwd)).filter(name => name.endsWith('.ndjson')).sort()

describe('log without a name', () => {
  it('a log without a name is named after the mapping, for all exports', async () => {
    expect(await onTerminal(...words('spring.csv'))).toBe(0)
    expect(await onTerminal(...words('autumn.csv'))).toBe(0)
    expect(await logs()).toEqual(['people.results.ndjson'])
    expect(madeBy(service)).toEqual(['Mia', 'Noor', 'Otto'])
  })

  it('a log without a name has that of its preset', async () => {
    await writeFile(join(cwd, 'cards.csv'), 'Card Name,Card ID\nMend the roof,c1\n')
    const args = words('cards.csv').map(word => (word === 'people.yaml' ? 'preset:trello' : word))
    expect(await onTerminal(...args)).toBe(0)
    expect(await logs()).toEqual(['trello.results.ndjson'])
  })

  it('a log without a name is looked at by a dry run, too', async () => {
    await onTerminal(...words('spring.csv'))
    const dry = await rowlift([...words('autumn.csv'), '--dry-run'], { cwd })
    expect(summaryOf(dry)).toMatchObject({ done: 2, valid: 1 })
  })

  it.each([
    ['if one of the sources is standard input', ['spring.csv', '-'], 'people.yaml'],
    ['for a preset if nobody watches', ['spring.csv'], 'preset:trello'],
  ])('a log without a name is refused %s', async (_, sources, mapping) => {
    const [command = '', , ...rest] = words('spring.csv').with(3, mapping)
    const refused = await rowlift([command, ...sources, ...rest], { cwd, stdin: people })
    expect(refused.exitCode).toBe(2)
    expect(refused.stderr).toContain(
      '--results is required for standard input, and for a preset without a terminal',
    )
    expect(service.calls).toEqual([])
  })

  it('a log without a name lies beside the mapping, wherever the command runs', async () => {
    await mkdir(join(cwd, 'für uns'))
    await rename(join(cwd, 'people.yaml'), join(cwd, 'für uns/people.yaml'))
    await symlink('für uns', join(cwd, 'link'))
    const from = (folder: string, source: string, mapping: string) =>
      rowlift(words(source).with(3, mapping), { cwd: join(cwd, folder) })
    expect((await from('.', 'spring.csv', 'für uns/people.yaml')).exitCode).toBe(0)
    expect((await from('für uns', '../autumn.csv', 'people.yaml')).exitCode).toBe(0)
    expect((await from('.', 'autumn.csv', 'link/people.yaml')).exitCode).toBe(0)
    expect(madeBy(service)).toEqual(['Mia', 'Noor', 'Otto'])
    expect((await readdir(join(cwd, 'für uns'))).sort()).toEqual(['people.results.ndjson', 'people.yaml'])
  })

  it('a log without a name lies beside the first source of a preset', async () => {
    await mkdir(join(cwd, 'in'))
    await writeFile(join(cwd, 'in/cards.csv'), 'Card Name,Card ID\nMend the roof,c1\n')
    expect(await onTerminal(...words('in/cards.csv').with(3, 'preset:trello'))).toBe(0)
    expect((await readdir(join(cwd, 'in'))).sort()).toEqual(['cards.csv', 'trello.results.ndjson'])
  })

  it('a log without a name needs a folder that can be written', async () => {
    const refused = await rowlift(words('spring.csv', 'none/people.ndjson'), { cwd })
    expect(refused.exitCode).toBe(2)
    expect(refused.stderr).toContain('name a lasting place for the log by --results')
  })
})

describe('paths in a settings file', () => {
  const settings = (more = '') =>
    `base-url: ${service.url}\norganization-id: 7\nmapping: people.yaml\nresults: out/people.ndjson\n${more}`

  beforeEach(async () => {
    await mkdir(join(cwd, 'conf/out'), { recursive: true })
    await rename(join(cwd, 'people.yaml'), join(cwd, 'conf/people.yaml'))
  })

  it('paths in a settings file are relative to it, those of flags to the working directory', async () => {
    const more = 'token-file: token\nrejects: bad.csv\nreport: page.html\nsummary: "-"\n'
    await writeFile(join(cwd, 'conf/night.yaml'), settings(more))
    await writeFile(join(cwd, 'conf/token'), 'a-secret-token')
    const env = { ROWLIFT_REPORT: 'here.html', ROWLIFT_TOKEN: '' }
    const args = ['import', 'spring.csv', '--config', 'conf/night.yaml']
    const ended = await rowlift([...args, '--rejects', 'here.csv'], { cwd, env })
    expect(JSON.parse(ended.stdout)).toMatchObject({ exit_code: 0, mapping: 'conf/people.yaml' })
    expect((await readdir(cwd)).sort()).toEqual(['autumn.csv', 'conf', 'here.csv', 'here.html', 'spring.csv'])
    expect((await readdir(join(cwd, 'conf'), { recursive: true })).sort()).toEqual([
      ...['night.yaml', 'out', 'out/people.ndjson', 'people.yaml', 'token'],
    ])
    const elsewhere = await folderWith(files)
    const again = await rowlift(['import', 'autumn.csv', '--config', join(cwd, 'conf/night.yaml')], {
      cwd: elsewhere,
    })
    expect(JSON.parse(again.stdout)).toMatchObject({ created: 1, done: 2 })
  })

  it('paths in a settings file may name a preset', async () => {
    await writeFile(join(cwd, 'conf/night.yaml'), 'mapping: preset:trello\n')
    await writeFile(join(cwd, 'cards.csv'), 'Card Name,Card ID\nMend the roof,c1\n')
    const args = ['import', 'cards.csv', '--config', 'conf/night.yaml', '--dry-run']
    expect(summaryOf(await rowlift(args, { cwd }))).toMatchObject({ valid: 1 })
  })
})
