import { readFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { beforeAll, describe, expect, it } from 'vitest'
import { tempFolder } from '../support/cleanup.ts'
import { mapping } from '../support/imports.ts'
import { compiled, linkedAt, type Packed, packed, programWith, runIn } from '../support/package.ts'
import { blocksIn, root } from '../support/pages.ts'
import { linesOf } from '../support/rowlift.ts'
import { madeBy, startService } from '../support/service.ts'

let pack: Packed
beforeAll(async () => {
  pack = await packed()
})

/** A program that uses all there is, and tells what it saw of the process. */
const program = `
import { importRows, LockError, LogError, SourceError, UsageError, type ImportRowsOptions, type ImportSummary, type RowOutcome } from 'rowlift'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'exit', 'uncaughtException', 'unhandledRejection']
const listeners = () => signals.map(name => process.listenerCount(name))
const before = JSON.stringify(listeners())
const { emit } = process

const options: ImportRowsOptions = {
  rows: [{ Name: 'Ada', Email: 'ada@example.com' }, { Name: 'Bob', Email: 'nope' }],
  mapping: { record: 'contact', key: 'Email', body: { name: '{{Name}}', emails: [{ email: { from: 'Email', as: 'email' } }] } },
  results: 'results.ndjson',
  baseUrl: process.env.SERVICE ?? '',
  organizationId: 7,
  token: 'a-secret-token',
  maxFailures: '50%',
  lockTimeout: 5,
  responses: [{ status: [400, 422], means: 'refused' }],
  signal: new AbortController().signal,
}
const seen: string[] = []
const tell = (outcome: RowOutcome): string => {
  switch (outcome.status) {
    case 'created':
    case 'existing':
    case 'merged':
      return outcome.recordId
    case 'invalid':
    case 'failed':
      return outcome.errors.map(({ message }) => message).join()
    case 'in_doubt':
    case 'valid':
      return JSON.stringify(outcome.body)
    case 'duplicate':
      return outcome.sameAs.source
    case 'done':
      return String(outcome.changed)
    case 'held':
      return outcome.key
  }
}
const run = importRows(options)
for await (const outcome of run) seen.push(tell(outcome))
const summary: ImportSummary = await run.summary()
const error: unknown = await importRows({ ...options, concurrency: 0 }).summary().catch(error => error)
console.log(JSON.stringify({
  seen,
  rows: summary.rows,
  known: [LockError, LogError, SourceError, UsageError].map(kind => error instanceof kind),
  isQuiet: before === JSON.stringify(listeners()) && emit === process.emit && process.exitCode === undefined,
}))

// @ts-expect-error there is either a source or rows
importRows({ ...options, source: 'a.csv' })
// @ts-expect-error an option that is none
importRows({ ...options, concurency: 1 })
// @ts-expect-error a mapping is needed
importRows({ rows: [], results: 'r' })
`

describe('the package', () => {
  it('holds what is needed to run it, to read about it, and to edit what it reads, and nothing else', () => {
    const folders = pack.files.map(file => file.split('/').slice(0, 2).join('/'))
    expect(new Set(folders.filter(folder => !folder.startsWith('config/')))).toEqual(
      new Set([
        ...['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json'],
        ...['docs/decisions', 'docs/durability.md', 'docs/service-interface.md', 'docs/usage'],
        ...['index.js', 'index.d.ts', 'api', 'app', 'bin', 'cli', 'engine', 'input', 'journal'].map(
          name => `dist/${name}`,
        ),
        ...['mapping', 'model', 'records', 'report', 'sandbox'].map(name => `dist/${name}`),
      ]),
    )
    expect(pack.files.filter(file => !/\.(js|cjs|css|d\.ts|json|md|yaml|service|timer)$/.test(file))).toEqual(
      ['LICENSE'],
    )
    expect(pack.files.filter(file => /\.test\.|^samples|\.map$|node_modules/.test(file))).toEqual([])
    for (const schema of ['mapping', 'plan', 'summary'])
      expect(pack.files).toContain(`config/${schema}.schema.json`)
  })

  it('holds the code of each source, and of no source that is gone', async () => {
    const built = pack.files.filter(file => file.endsWith('.js'))
    for (const file of built)
      await readFile(join(root, file.replace('dist/', 'src/').replace(/\.js$/, '.ts'))) // throws where there is none
    expect(built.length).toBeGreaterThan(150)
  })

  it('has pages whose links lead to what it holds, but for the samples and the map of the code', async () => {
    for (const page of pack.files.filter(file => /^(README|docs\/.*)\.md$/.test(file))) {
      const text = await readFile(join(root, page), 'utf8')
      const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link = '']) =>
        posix.join(posix.dirname(page), link),
      )
      const dead = links.filter(
        link =>
          !pack.files.some(file => file === link || file.startsWith(link.endsWith('/') ? link : `${link}/`)),
      )
      expect(dead.filter(link => !/^(samples|(CONTRIBUTING|SECURITY)\.md)/.test(link))).toEqual([])
    }
  })

  it('passes publint, its suggestions too', async () => {
    const { buffer, byteOffset, byteLength } = pack.tarball
    const tarball = buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer
    expect((await publint({ pack: { tarball }, strict: true })).messages).toEqual([])
  })

  it('has types that are right for each way to import it', async () => {
    const checked = await checkPackage(createPackageFromTarballData(new Uint8Array(pack.tarball)))
    if (!checked.types) throw new Error('no types')
    const wrong = checked.problems.filter(
      // It is ESM alone: require() of it works in Node 20.19 and newer, and older ways of resolving say so.
      ({ kind }) => kind !== 'CJSResolvesToESM',
    )
    expect(wrong).toEqual([])
  })

  it('is imported by a program that is compiled strictly, runs, and finds the process as it was', async () => {
    const service = await startService()
    const folder = await programWith(pack, { 'program.ts': program })
    expect(await compiled(folder)).toBe('')
    const { stdout, stderr } = await runIn(folder, 'program.js', { SERVICE: service.url })
    expect(stderr).toBe('')
    expect(linesOf(stdout)).toEqual([
      {
        seen: expect.arrayContaining([service.made[0]?.recordId, 'is not an e-mail address']),
        rows: expect.objectContaining({ created: 1, invalid: 1 }),
        known: [false, false, false, true],
        isQuiet: true,
      },
    ])
    expect(madeBy(service)).toEqual(['Ada'])
  })

  it('lets a program read its schema and its version', async () => {
    const folder = await programWith(pack, {
      'program.js': `
        import { createRequire } from 'node:module'
        const require = createRequire(import.meta.url)
        console.log(require('rowlift/config/mapping.schema.json').type, require('rowlift/package.json').name)`,
    })
    expect((await runIn(folder, 'program.js')).stdout).toBe('object rowlift\n')
  })

  it('runs as a command from where it is installed', async () => {
    const { bin, version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    const folder = await programWith(pack, {})
    const { stdout } = await runIn(folder, join(folder, 'node_modules/rowlift', bin.rowlift), {}, [
      '--version',
    ])
    expect(stdout).toBe(`${version}\n`)
    const tested = await runIn(folder, join(folder, 'node_modules/rowlift', bin.rowlift), {}, [
      ...['test', 'preset:trello'],
    ])
    expect(tested.stdout).toContain('passed, 1 file')
  })

  it('runs by its name where a clone is linked', async () => {
    const prefix = await tempFolder()
    await linkedAt(prefix)
    const { stdout } = await runIn(prefix, join(prefix, 'bin/rowlift'), {}, ['test', 'preset:trello'])
    expect(stdout).toContain('passed, 1 file')
  })

  it('is built when it is packed, published or linked', async () => {
    const { scripts, repository, homepage } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    expect(scripts).toMatchObject({ prepare: 'node scripts/prepare.js' })
    expect([repository, homepage]).toEqual([undefined, undefined]) // a publisher fills them in
  })

  it('works as the page on the library shows', async () => {
    const service = await startService()
    const [example = ''] = blocksIn('docs/usage/library.md', 'ts')
    expect(example).toContain("from 'rowlift'")
    const folder = await programWith(pack, {
      'program.ts': example.replaceAll('https://api.example.com', service.url),
      'contacts.csv': 'Name,Email\nAda,ada@example.com\n',
      'contacts.yaml': mapping,
    })
    expect(await compiled(folder)).toBe('')
    const { stdout } = await runIn(folder, 'program.js', { SERVICE_TOKEN: 'a-secret-token' })
    expect(stdout).toContain(`ada@example.com ${service.made[0]?.recordId}`)
    expect(madeBy(service)).toEqual(['Ada'])
  })
})
