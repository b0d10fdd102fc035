import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { importOptions } from '../../../src/app/options.ts'
import { CommandPage } from '../../../src/app/page.ts'
import { prepare } from '../../../src/app/prepare.ts'
import { run } from '../../../src/app/run.ts'
import { portsOf } from '../../../src/cli/context.ts'
import { parseFlags } from '../../../src/cli/settings-sources.ts'
import { silentContext } from '../../support/context.ts'
import { files } from '../../support/imports.ts'
import { startService } from '../../support/service.ts'

/** Runs an import of contacts in this process; returns its part of a page. */
async function partOf(cwd: string, given: Readonly<Record<string, string>>, name?: string) {
  const sources = [join(cwd, 'contacts.csv')]
  const context = silentContext()
  const settings = parseFlags(importOptions, { mapping: join(cwd, 'map.yaml'), ...given }, context)
  const page = new CommandPage(join(cwd, 'page.html'), undefined, context)
  const prepared = await prepare({ sources, settings }, { ...portsOf(context), emit: () => {} })
  const sinks = page.sinksOf({ name, prepared })
  return page.partOf(name, await run(prepared, { sinks }))
}

describe('the part of an import on a page', () => {
  it('tells of the run what only the run knows', async () => {
    const { url } = await startService()
    const cwd = await files()
    const given = { results: join(cwd, 'r.ndjson'), baseUrl: url, organizationId: '7' }
    const first = await partOf(cwd, given)
    expect(first).toMatchObject({
      ...{ type: 'log', name: 'r.ndjson', log: join(cwd, 'r.ndjson'), duplicates: 1 },
      counts: { created: 2, existing: 0, invalid: 1, failed: 0, in_doubt: 0 },
      lastRun: {
        stopped: undefined,
        rows: { created: 2, invalid: 1, duplicate: 1, done: 0, left_out: 0 },
      },
    })
    expect(await partOf(cwd, given, 'contacts')).toMatchObject({
      name: 'contacts',
      counts: { created: 2, invalid: 1 },
      lastRun: { rows: { created: 0, done: 2, invalid: 1 } },
    })
  })

  it('of a dry run counts no value and no lookup for its samples', async () => {
    const cwd = await files({
      'map.yaml': `record: contact
lookups: { firms: { file: firms.csv, key: name, value: id } }
body:
  name: { from: Name }
  designation: { from: Email, lookup: firms, missing: omit }
`,
      'firms.csv': 'name,id\nAda,1\n',
    })
    const { columns } = (await partOf(cwd, { dryRun: 'true' })).lastRun ?? {}
    expect(columns?.omissions).toEqual([{ column: 'Email', values: 4, omitted: 4 }])
    expect(columns?.lookups).toMatchObject([{ name: 'firms', asked: 4, found: 0 }])
  })

  it('of a dry run holds samples, problems and what to look at', async () => {
    const part = await partOf(await files(), { dryRun: 'true' })
    if (part.type !== 'dry_run') throw new Error('it is that of a log')
    expect(part.lastRun).toMatchObject({ rows: { valid: 2, invalid: 1, duplicate: 1 } })
    expect(part.samples.map(({ row, key }) => [row, key])).toEqual([
      [1, 'ada@example.com'],
      [3, 'cy@example.com'],
    ])
    const email = { column: 'Email', value: 'ada@example.com' }
    expect(part.samples[0]?.fields).toEqual([
      { path: 'name', value: 'Ada', cells: [{ column: 'Name', value: 'Ada' }] },
      { path: 'emails.0.email', value: 'ada@example.com', cells: [email] },
    ])
    expect(part.reasons).toMatchObject([{ rows: 1, examples: [{ row: 2, column: 'Email', value: 'nope' }] }])
    expect(part.attention).toMatchObject({ total: 1, rows: [{ row: 2, column: 'Email', value: 'nope' }] })
  })
})
