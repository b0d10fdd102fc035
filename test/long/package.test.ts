import { join } from 'node:path'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { beforeAll, describe, expect, it } from 'vitest'
import { tempFolder } from '../support/cleanup.ts'
import { mapping } from '../support/imports.ts'
import { compiled, linkedAt, type Packed, packed, programWith, runIn } from '../support/package.ts'
import { blocksIn } from '../support/pages.ts'
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

describe('package', () => {
  it('the package has types that are right for each way to import it', async () => {
    const checked = await checkPackage(createPackageFromTarballData(new Uint8Array(pack.tarball)))
    if (!checked.types) throw new Error('no types')
    const wrong = checked.problems.filter(
      // It is ESM alone: require() of it works in Node 20.19 and newer, and older ways of resolving say so.
      ({ kind }) => kind !== 'CJSResolvesToESM',
    )
    expect(wrong).toEqual([])
  })

  it('the package is imported by a program that is compiled strictly, and runs', async () => {
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

  it('the package works as the page on the library shows', async () => {
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

  it('the package runs by its name if a clone is linked', async () => {
    const prefix = await tempFolder()
    await linkedAt(prefix)
    const { stdout } = await runIn(prefix, join(prefix, 'bin/rowlift'), {}, ['test', 'preset:trello'])
    expect(stdout).toContain('passed, 1 file')
  })
})
