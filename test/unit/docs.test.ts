import { existsSync, readdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { parseWords } from '../../src/cli/args.ts'
import { helpOptions } from '../../src/cli/command.ts'
import { commands } from '../../src/commands.ts'
import { compileMapping } from '../../src/mapping/mapping.ts'
import { expectItsTestsToHold } from '../support/expectations.ts'
import { blocksIn, commandsIn, mappingsIn, pages, root, textOf } from '../support/pages.ts'
import { folderWith, rowlift } from '../support/rowlift.ts'
import { madeBy, startService } from '../support/service.ts'

const headingsIn = (page: string) =>
  textOf(page)
    .replaceAll(/^ *```[\s\S]*?^ *```/gm, '')
    .split('\n')
    .flatMap(line => /^#+ (.*)$/.exec(line)?.[1] ?? [])

/** The name by which a link finds a heading, as GitHub makes it. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

describe.each(pages)('%s', page => {
  const text = textOf(page)

  it('has mappings that work as they are', () => {
    for (const mapping of mappingsIn(page)) {
      const { tests } = compileMapping(page, mapping, '')
      if (tests.length > 0) expectItsTestsToHold(page, mapping)
    }
  })

  it('has commands that exist, with options that exist', async () => {
    for (const words of blocksIn(page, 'sh', 'crontab').flatMap(commandsIn)) {
      const [name = '', ...rest] = words
      expect(Object.keys(commands), words.join(' ')).toContain(name)
      const { options = {} } = (await commands[name]?.()) ?? {}
      await parseWords(rest, { ...options, ...helpOptions })
    }
  })

  it('has links that lead somewhere', () => {
    for (const [, path = '', anchor] of text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)) {
      const target = path === '' ? page : join(dirname(page), path)
      expect([target, existsSync(join(root, target))]).toEqual([target, true])
      if (anchor !== undefined)
        expect(headingsIn(target).map(anchorOf), `${target}#${anchor}`).toContain(anchor)
    }
  })

  it('names files of the repository that exist', () => {
    const named = text.matchAll(/(?<![\w/-])(?:src|test|docs|config|samples|scripts)\/[\w./@-]*/g)
    const paths = [...named].map(([path]) => path.replace(/\.$/, '')).filter(path => !/NAME|…/.test(path))
    for (const path of paths) expect([path, existsSync(join(root, path))]).toEqual([path, true])
  })
})

describe('the documentation', () => {
  it('has a README of less than 200 lines, and a CONTRIBUTING of less than 150', () => {
    const linesOf = (page: string) => textOf(page).split('\n').length
    expect(linesOf('README.md')).toBeLessThan(200)
    expect(linesOf('CONTRIBUTING.md')).toBeLessThan(150)
  })

  it('has a reason for every dependency', () => {
    const { dependencies, devDependencies } = JSON.parse(textOf('package.json'))
    const [, table = ''] = textOf('CONTRIBUTING.md').split('## Dependencies')
    const explained = [...table.matchAll(/^\| (.+?) \| .+ \|$/gm)].flatMap(([, names = '']) =>
      names.split(', '),
    )
    const known = Object.keys({ ...dependencies, ...devDependencies })
    expect(explained.filter(name => name !== 'package').sort()).toEqual(known.sort())
  })

  it('leads from the README to every page for users', () => {
    const links = [...textOf('README.md').matchAll(/\]\(([^)#]+)/g)].map(([, link]) => link)
    expect(links).toEqual(expect.arrayContaining(pages.filter(page => page.startsWith('docs/usage/'))))
  })

  it('shows commands on many pages, which the tests above find', () => {
    const found = pages.flatMap(page => blocksIn(page, 'sh', 'crontab').flatMap(commandsIn))
    expect(new Set(found.map(([name]) => name))).toEqual(new Set(Object.keys(commands)))
    expect(found.length).toBeGreaterThan(35)
  })

  it('tests every mapping in the cookbook', () => {
    const mappings = mappingsIn('docs/usage/cookbook.md')
    expect(mappings.length).toBeGreaterThan(8)
    for (const mapping of mappings)
      expect([mapping, compileMapping('cookbook', mapping, '').tests.length]).not.toEqual([mapping, 0])
  })

  it('shows settings files that their schema accepts', () => {
    const schema = JSON.parse(textOf('config/settings.schema.json'))
    const validate = new Ajv2020({ strict: false }).compile(schema)
    const shown = ['nightly', 'delivery'].map(page => blocksIn(`docs/usage/${page}.md`, 'yaml')[0] ?? '')
    for (const settings of [...shown, textOf('config/settings.example.yaml')]) {
      validate(parse(settings))
      expect([settings, validate.errors]).toEqual([settings, null])
    }
  })

  it('names tests that exist, by their files and their sentences', () => {
    const named = pages.flatMap(page =>
      [...textOf(page).matchAll(/`(test\/[\w./-]+\.ts)`: ((?:"[^"]+"(?:;\s+)?)+)/g)].flatMap(
        ([, file = '', sentences = '']) =>
          [...sentences.matchAll(/"([^"]+)"/g)].map(([, text = '']) => ({
            file,
            text: text.replaceAll(/\s+/g, ' '),
          })),
      ),
    )
    expect(named.length).toBeGreaterThan(50)
    const isName = (file: string, text: string) =>
      ["'", '"', '`'].some(q => textOf(file).includes(q + text + q))
    expect(named.filter(({ file, text }) => !isName(file, text))).toEqual([])
  })

  it('has each page, and each section of the interface, that the code cites', () => {
    const code = ['src', 'test', 'scripts'].flatMap(folder =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter(file => /\.[jt]s$/.test(file))
        .map(file => textOf(`${folder}/${file}`)),
    )
    const cited = (pattern: RegExp) =>
      code.flatMap(text => [...text.matchAll(pattern)].map(([, name = '']) => name))
    const sections = headingsIn('docs/service-interface.md').map(heading => heading.split(/\.? /)[0])
    const citedSections = cited(/\binterface (\d+(?:\.\d+)?)/g)
    expect(citedSections.length).toBeGreaterThan(10)
    expect(sections).toEqual(expect.arrayContaining(citedSections))
    expect(pages).toEqual(expect.arrayContaining(cited(/\b(docs\/[\w/-]+\.md)/g)))
  })
})

describe('the commands in samples/README.md', () => {
  it.each(
    blocksIn('samples/README.md', 'sh')
      .flatMap(commandsIn)
      .map(words => words.join(' ')),
  )('works: %s', async command => {
    const { exitCode } = await rowlift(command.split(' '), { cwd: root })
    expect(exitCode).toBe(command.includes('migration') ? 0 : 1)
  })
})

describe.each(['README.md', 'docs/usage/first-import.md'])('the first import in %s', page => {
  it('works, command by command', async () => {
    const service = await startService()
    const steps = blocksIn(page, 'sh')
      .flatMap(commandsIn)
      .map(words => words.map(word => word.replace('https://api.example.com', service.url)))
    const [mapping = ''] = mappingsIn(page).filter(text => text.includes('First Name'))
    const cwd = await folderWith({
      'contacts.csv':
        'First Name,Last Name,Email,Job Title,Phones\nAda,Lovelace,ada@example.com,,\nBob,Byron,nope,,\n',
    })
    expect(steps.length).toBeGreaterThan(2)
    for (const step of steps) {
      if (step[0] !== 'init') await writeFile(join(cwd, 'contacts.yaml'), mapping)
      if (step.includes('preset:google-contacts')) continue // of another export
      const sends = step[0] === 'import' && !step.includes('--dry-run')
      const args = sends ? [...step, '--results', 'results.ndjson'] : step // the default is for terminals
      expect([0, 1], args.join(' ')).toContain((await rowlift(args, { cwd })).exitCode)
    }
    expect(madeBy(service)).toEqual(['Ada Lovelace'])
  })
})
