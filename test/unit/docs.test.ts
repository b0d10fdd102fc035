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
import { flagOf } from '../../src/settings/options.ts'
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

/** The pages for users that are not made of tables in the code. */
const byHand = pages.filter(
  page => page.startsWith('docs/usage/') && !/\/(options|errors|fields)\.md$/.test(page),
)

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

  it('has lock files that name no registry', () => {
    for (const folder of ['', 'programs/', 'site/']) {
      const { packages } = JSON.parse(textOf(`${folder}package-lock.json`))
      const named = Object.entries<{ resolved?: string }>(packages).filter(([, { resolved }]) => resolved)
      expect([folder, named]).toEqual([folder, []])
    }
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

  it('has YAML that is a whole mapping, or that a schema accepts', () => {
    const validators = ['settings', 'plan'].map(name =>
      new Ajv2020({ strict: false }).compile(JSON.parse(textOf(`config/${name}.schema.json`))),
    )
    const isPartOfMapping = (part: object) => {
      compileMapping(
        'part',
        JSON.stringify({ record: 'task', body: { name: { from: 'A', required: true } }, ...part }),
        '',
      )
      return true
    }
    const found = pages.flatMap(page => blocksIn(page, 'yaml').map(text => [page, text] as const))
    expect(found.length).toBeGreaterThan(30)
    for (const [page, text] of found.filter(([, text]) => !/^record:/m.test(text))) {
      const value = parse(text)
      const isRules = Object.keys(value).join() === 'groups' // of Prometheus, see below
      const isFile = validators.some(validate => validate(value))
      expect([page, text, isRules || isFile || isPartOfMapping(value)]).toEqual([page, text, true])
    }
    expect(validators[0]?.(parse(textOf('config/settings.example.yaml')))).toBe(true)
  })

  it('has rules for metrics that are written', () => {
    const written = readdirSync(join(root, 'src/features/metrics'))
      .map(file => textOf(`src/features/metrics/${file}`))
      .join('')
    const named = pages.flatMap(page =>
      blocksIn(page, 'yaml').flatMap(text => text.match(/\browlift_\w+/g) ?? []),
    )
    expect(named.length).toBeGreaterThan(5)
    for (const name of named) expect(written).toContain(name.replace('rowlift_', ''))
  })

  it('names each command, with what it is for', () => {
    const page = textOf('docs/usage/command-line.md')
    for (const name of Object.keys(commands))
      expect(page).toMatch(new RegExp(`^\\| \`rowlift ${name}\\b`, 'm'))
  })

  it('names each option of each command on the page that is made of them', async () => {
    const page = textOf('docs/usage/options.md')
    for (const [name, load] of Object.entries(commands)) {
      const { options } = await load()
      const sections =
        'mapping' in options ? page : (page.split(`\n## rowlift ${name}\n`)[1]?.split('\n## ')[0] ?? '')
      for (const option of Object.keys(options))
        expect(sections, `${name} ${option}`).toContain(flagOf(option))
    }
  })

  it('names each key of a mapping on a page that is written by hand', () => {
    const { properties, $defs } = JSON.parse(textOf('config/mapping.schema.json'))
    const keys = new Set<string>()
    const collect = (node: unknown) => {
      if (typeof node !== 'object' || node === null) return
      if ('properties' in node) for (const key of Object.keys(node.properties ?? {})) keys.add(key)
      Object.values(node).forEach(collect)
    }
    collect({ ...properties, body: $defs.rule }) // the fields of a body are in fields.md
    expect(keys.size).toBeGreaterThan(60)
    const text = byHand.map(textOf).join('\n')
    const isNamed = (key: string) => new RegExp(`(^|[\\s{\`])${key}(:|\`)`, 'm').test(text)
    expect([...keys].filter(key => !isNamed(key))).toEqual([])
  })

  it('names each exit code of help, and each variable of the environment', () => {
    const page = textOf('docs/usage/command-line.md')
    const [, help = ''] = /Exit codes:\n([\s\S]*?)`/.exec(textOf('src/cli/help.ts')) ?? []
    const codes = [...help.matchAll(/^ {2}(\d+(?: \d+)*) {2}/gm)].flatMap(([, each = '']) => each.split(' '))
    expect(codes.length).toBeGreaterThan(8)
    for (const code of codes) expect(page).toMatch(new RegExp(`^\\|[\\d, ]*\\b${code}\\b[\\d, ]*\\|`, 'm'))
    const text = byHand.map(textOf).join('\n')
    for (const name of help.match(/\b[A-Z]+(?:_[A-Z]+)+\b/g) ?? []) expect(text).toContain(name)
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
