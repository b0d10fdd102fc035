import { basename, join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { startSandbox } from '../../src/features/sandbox/server.ts'
import { compileMapping, type MappingTest } from '../../src/mapping/mapping.ts'
import { atEnd } from '../support/cleanup.ts'
import { pageFiles, planFiles } from '../support/page-files.ts'
import { blocksIn, mappingsIn, pages, textOf } from '../support/pages.ts'
import { folderWith, linesOf, outcomesIn, rowlift } from '../support/rowlift.ts'

const tested = pages.flatMap(page =>
  mappingsIn(page).flatMap(text =>
    compileMapping(page, text, '').tests.map(test => ({
      page,
      text,
      test,
      name: test.name ?? `line ${test.line}`,
    })),
  ),
)

async function sandbox() {
  const started = await startSandbox()
  atEnd(() => started.close())
  const records = async () => linesOf(await (await fetch(`${started.url}/sandbox/records`)).text())
  return { records, into: ['--base-url', started.url, '--organization-id', '42', '--new-log'] }
}

const env = { ROWLIFT_TOKEN: 'sandbox' }

/** The mapping with tables for its lookups and map files, which have what the test says of them. */
function withTables(
  text: string,
  { lookups = {} }: MappingTest,
): { mapping: string; tables: Record<string, string> } {
  const { tests: _, ...mapping } = parse(text)
  const tables: Record<string, string> = {}
  for (const name of Object.keys(mapping.lookups ?? {})) {
    mapping.lookups[name] = { file: `${name}.csv`, key: 'key', value: 'value' }
    const rows = Object.entries(lookups[name] ?? {}).map(([key, value]) => `${key},${value}`)
    tables[`${name}.csv`] = ['key,value', ...rows, ''].join('\n')
  }
  let whole = stringify(mapping)
  for (const [file, answers] of Object.entries(lookups).filter(([name]) =>
    whole.includes(`map_file: ${name}`),
  )) {
    whole = whole.replace(file, basename(file))
    tables[basename(file)] = ['name,use', ...Object.entries(answers).map(each => each.join()), ''].join('\n')
  }
  return { mapping: whole, tables }
}

it.each(tested)('the sandbox takes what $page maps: $name', async ({ text, test }) => {
  const { into, records } = await sandbox()
  const { mapping, tables } = withTables(text, test)
  const cwd = await folderWith({
    'm.yaml': mapping,
    'row.ndjson': `${JSON.stringify(test.row)}\n`,
    ...tables,
  })
  await rowlift(['import', 'row.ndjson', '-m', 'm.yaml', '-o', 'r.ndjson', ...into], { cwd, env })
  const [outcome] = await outcomesIn(join(cwd, 'r.ndjson'))
  const expected = test.errors ? 'invalid' : test.left_out ? undefined : 'created'
  expect([outcome?.status, outcome?.not_in_answer], JSON.stringify(outcome)).toEqual([expected, undefined])
  const [record] = await records()
  expect(record?.request).toEqual(test.body)
})

const settingsSchema = new Ajv2020({ strict: false }).compile(
  JSON.parse(textOf('config/settings.schema.json')),
)
const settings = pages
  .flatMap(page =>
    blocksIn(page, 'yaml').map(text => ({ page, text, keys: Object.keys(parse(text)).join(', ') })),
  )
  .filter(({ text }) => settingsSchema(parse(text)))
  .filter(({ text }) => !/^import:/m.test(text)) // test/process/pages.test.ts runs it with a ledger

it.each(settings)('an import takes the settings that $page shows: $keys', async ({ text }) => {
  const { into } = await sandbox()
  const cwd = await folderWith({ ...pageFiles, 'shown.yaml': text })
  const words = [
    'import',
    'contacts.csv',
    '-m',
    'contacts.yaml',
    '--config',
    'shown.yaml',
    '--dry-run',
    ...into,
  ]
  const { exitCode, stderr } = await rowlift(words, { cwd, env })
  expect([0, 1], stderr).toContain(exitCode)
})

it('the plan of the cookbook runs with the mappings of the cookbook', async () => {
  const page = 'docs/usage/cookbook.md'
  const [plan = ''] = blocksIn(page, 'yaml').filter(text => /^steps:/m.test(text))
  const begins = (comment: string) => mappingsIn(page).find(text => text.startsWith(comment)) ?? ''
  const { into } = await sandbox()
  const cwd = await folderWith({
    ...planFiles,
    'plan.yaml': plan,
    'organizations.yaml': begins('# organizations.yaml:'),
    'people.yaml': begins('# people.yaml, as a step'),
  })
  const { exitCode, stderr } = await rowlift(['import', '--plan', 'plan.yaml', ...into], { cwd, env })
  expect([exitCode, stderr]).toEqual([0, expect.any(String)])
})
