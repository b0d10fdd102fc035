import { execFile, spawnSync } from 'node:child_process'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { atEnd } from '../support/cleanup.ts'
import { blocksIn, root } from '../support/pages.ts'
import { testDatabase } from '../support/postgres.ts'
import { folderWith } from '../support/rowlift.ts'

const mapping =
  'record: contact\nkey: email\nbody: { name: { from: name, required: true }, emails: [{ email: { from: email } }] }\n'
const rows = [
  { name: 'Ada "A." Lovelace, née Byron', email: 'ada@example.com' },
  { name: 'Bo', email: 'bo@example.com' },
]
const csv = 'name,email\n"Ada ""A."" Lovelace, née Byron",ada@example.com\nBo,bo@example.com\n'
const bodies = rows.map(({ name, email }) => ({ name, emails: [{ email }] }))

/** Whether a program is there; where it is not, one line says what is left out. */
function has(program: string): boolean {
  const isThere = spawnSync(program, ['--version']).error === undefined
  if (!isThere)
    process.stderr.write(`Skipped: a recipe of docs/usage/inputs.md, for there is no ${program}.\n`)
  return isThere
}

const recipe = (word: string) => {
  const found = blocksIn('docs/usage/inputs.md', 'sh').find(block => block.includes(word))
  if (found === undefined) throw new Error(`no recipe has ${word}`)
  return found
}

/** What a recipe prints, in a folder with these files. */
async function printed(script: string, files: Readonly<Record<string, string | Buffer>>, env = {}) {
  const cwd = await folderWith({ 'people.yaml': mapping, ...files })
  const bin = join(cwd, 'bin')
  await mkdir(bin)
  await writeFile(
    join(bin, 'npx'),
    `#!/bin/sh\nshift\nexec "${process.execPath}" "${root}dist/bin/rowlift.cjs" "$@"\n`,
  )
  await chmod(join(bin, 'npx'), 0o755)
  const PATH = `${bin}${delimiter}${process.env.PATH}`
  return promisify(execFile)('sh', ['-c', script], { cwd, env: { PATH, HOME: cwd, NO_PROXY: '*', ...env } })
}

const bodiesOf = async (...recipe: Parameters<typeof printed>) =>
  (await printed(...recipe)).stdout
    .split('\n')
    .flatMap(line => (line.startsWith('{') ? [JSON.parse(line)] : []))

/** The address of a server on this machine. */
async function serverOf(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  atEnd(() => new Promise<void>(resolve => server.close(() => resolve())))
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
}

it.runIf(has('curl'))('a Google Sheet is imported by its address', async () => {
  const google = await serverOf(({ url = '' }, response) => {
    if (url === '/spreadsheets/d/SHEET_ID/export?format=csv&gid=0')
      response.writeHead(307, { location: '/file' }).end()
    else response.writeHead(url === '/file' ? 200 : 404).end(url === '/file' ? csv : 'not found')
  })
  const script = recipe('curl').replace('https://docs.google.com', google)
  expect(await bodiesOf(script, {})).toEqual(bodies)
  await expect(printed(script.replace('SHEET_ID', 'OTHER'), {})).rejects.toMatchObject({
    code: 22,
    stdout: '',
  })
  const signIn = await serverOf((_, response) => response.end('<!DOCTYPE html><title>Sign in</title>'))
  await expect(printed(script.replace(google, signIn), {})).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('such as a login page'),
  })
})

it.runIf(has('psql'))('a query is imported', async () => {
  const database = await testDatabase()
  try {
    await database.query('CREATE TABLE people (id int, name text, email text, phone text)')
    for (const [at, { name, email }] of rows.entries())
      await database.query('INSERT INTO people VALUES ($1, $2, $3)', [at, name, email])
    expect(
      await bodiesOf(recipe('psql'), {}, { DATABASE_URL: database.url, PGCLIENTENCODING: 'UTF8' }),
    ).toEqual(bodies)
  } finally {
    await database.close()
  }
})

it.runIf(has('duckdb'))('Parquet is imported', async () => {
  const people = rows.map(({ name, email }) => `('${name}', '${email}')`).join(', ')
  const made = `duckdb -c "COPY (SELECT * FROM (VALUES ${people.replaceAll('"', '\\"')}) AS t(name, email)) TO 'people.parquet'"\n`
  expect(await bodiesOf(made + recipe('duckdb'), {})).toEqual(bodies)
})

it.runIf(has('awk'))('columns of fixed width are imported', async () => {
  const line = (name: string, email: string) => `${name.padEnd(20)}${email.padEnd(30)}2026-10-05\r\n`
  const text = line('Ada "A." L., née B.', 'ada@example.com') + line('Bo', 'bo@example.com')
  const files = { 'people.txt': Buffer.from(text, 'latin1') }
  expect(await bodiesOf(`${recipe('awk').trimEnd()} --encoding windows-1252`, files)).toEqual([
    { name: 'Ada "A." L., née B.', emails: bodies[0]?.emails },
    bodies[1],
  ])
})

const namespaces = ['office', 'table', 'text'].map(
  name => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`,
)
const cell = (text: string) =>
  `<table:table-cell office:value-type="string"><text:p>${text}</text:p></table:table-cell>`
const row = (...cells: string[]) => `<table:table-row>${cells.map(cell).join('')}</table:table-row>`

it.runIf(has('soffice'))('an older spreadsheet is imported', async () => {
  const table = [{ name: 'name', email: 'email' }, ...rows]
    .map(({ name, email }) => row(name, email))
    .join('')
  const sheet = `<?xml version="1.0" encoding="UTF-8"?>
    <office:document ${namespaces.join(' ')} office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.spreadsheet">
    <office:body><office:spreadsheet><table:table table:name="People">${table}</table:table></office:spreadsheet></office:body></office:document>`
  expect(await bodiesOf(recipe('soffice'), { 'people.ods': sheet })).toEqual(bodies)
})
