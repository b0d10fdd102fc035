import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { portsOf } from '../../../src/cli/context.ts'
import { withFeatures } from '../../../src/features.ts'
import { pagePart } from '../../../src/run/page.ts'
import { prepare } from '../../../src/run/prepare.ts'
import { run } from '../../../src/run/run.ts'
import { importOptions } from '../../../src/settings/options.ts'
import { parseFlags } from '../../../src/settings/settings.ts'
import { silentContext } from '../../support/context.ts'
import { files } from '../../support/imports.ts'
import { startService } from '../../support/service.ts'

/** Runs an import of contacts in this process; returns its part of a page. */
async function partOf(cwd: string, given: Readonly<Record<string, string>>, name?: string) {
  const sources = [join(cwd, 'contacts.csv')]
  const context = silentContext()
  const settings = parseFlags(importOptions, { mapping: join(cwd, 'map.yaml'), ...given }, context)
  const prepared = await prepare({ sources, settings }, { ...portsOf(context), emit: () => {} }).then(
    withFeatures,
  )
  const page = pagePart({ name, prepared }, context)
  return page.partOf(await run(prepared, page))
}

describe('part of an import on a page', () => {
  it('the part of an import tells of the run what only the run knows', async () => {
    const { url } = await startService()
    const cwd = await files()
    const given = { results: join(cwd, 'r.ndjson'), baseUrl: url, organizationId: '7' }
    const first = await partOf(cwd, given)
    expect(first).toMatchObject({
      ...{ type: 'log', name: 'r.ndjson', log: join(cwd, 'r.ndjson'), duplicates: 1 },
      counts: { created: 2, existing: 0, invalid: 1, failed: 0, in_doubt: 0 },
      lastRun: {
        stopped: undefined,
        ...{ created: 2, invalid: 1, duplicate: 1, done: 0, left_out: 0 },
      },
    })
    expect(await partOf(cwd, given, 'contacts')).toMatchObject({
      name: 'contacts',
      counts: { created: 2, invalid: 1 },
      lastRun: { created: 0, done: 2, invalid: 1 },
    })
  })

  it('the part of an import of a dry run counts no value and no lookup for its samples', async () => {
    const cwd = await files({
      'map.yaml': `record: contact
lookups: { firms: { file: firms.csv, key: name, value: id } }
body:
  name: { from: Name }
  designation: { from: Email, lookup: firms, missing: omit }
`,
      'firms.csv': 'name,id\nAda,1\n',
    })
    const columns = (await partOf(cwd, { dryRun: 'true' })).lastRun?.details.columns
    expect(columns?.fallbacks).toEqual([{ column: 'Email', values: 4, omitted: 4, kept: 0 }])
    expect(columns?.lookups).toMatchObject([{ name: 'firms', values: 4, hits: 0 }])
  })

  it('the part of an import of a dry run holds samples, problems and what to look at', async () => {
    const cwd = await files()
    const part = await partOf(cwd, { dryRun: 'true', report: 'page.html' })
    if (part.type !== 'dry_run') throw new Error('it is that of a log')
    expect(part.lastRun).toMatchObject({ valid: 2, invalid: 1, duplicate: 1 })
    const samples = part.samples?.text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ') ?? ''
    expect(samples.match(/\S+ \S+contacts.csv:\d+ , row \d/g)).toEqual([
      `ada@example.com ${cwd}/contacts.csv:2 , row 1`,
      `cy@example.com ${cwd}/contacts.csv:4 , row 3`,
    ])
    expect(samples).toContain('Name Ada name Ada Email ada@example.com emails.0.email ada@example.com')
    expect(part.columns?.text).toContain('<bdi>emails.email</bdi>')
    const conflict = { row: 4, value: 'name: "Ada" → "Ada L"' }
    expect(part.reasons).toMatchObject([
      { rows: 1, examples: [{ row: 2, column: 'Email', value: 'nope' }] },
      { rows: 1, examples: [conflict] },
    ])
    expect(part.attention).toMatchObject({ total: 2, rows: [{ row: 2, value: 'nope' }, conflict] })
  })
})
