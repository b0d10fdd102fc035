import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { tempFolder } from '../support/cleanup.ts'
import { rowlift } from '../support/rowlift.ts'
import { startService } from '../support/service.ts'
import { writeContacts } from './contacts.ts'
import { writeFinishedLog } from './finished-log.ts'

const mapping = fileURLToPath(new URL('./contacts.yaml', import.meta.url))

it('a log that is made for a resume has the lines of an import, and leaves no row to send', async () => {
  const [cwd, { url, calls }] = [await tempFolder(), await startService()]
  const [source, imported, log] = [`${cwd}/contacts.csv`, `${cwd}/imported.ndjson`, `${cwd}/made.ndjson`]
  const importInto = (results: string) => {
    const service = ['--base-url', url, '--organization-id', '7', '--concurrency', '1']
    return rowlift(['import', source, '-m', mapping, '-o', results, '--new-log', ...service], { cwd })
  }
  await writeContacts(source, 50, 'international')
  await writeFinishedLog({ source, mapping, log, url })
  expect((await importInto(imported)).exitCode).toBe(0)
  expect(calls).toHaveLength(50)
  expect(await steadyLines(log)).toEqual(await steadyLines(imported))
  expect((await importInto(log)).exitCode).toBe(0)
  expect(calls).toHaveLength(50)
})

/** Without what differs from run to run. */
async function steadyLines(path: string): Promise<unknown[]> {
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n')
  return lines.map(text => {
    const { run, at, rowlift, record_id, duration_ms, intents, chain, crc32, ...others } = JSON.parse(text)
    const { columns, first_rows, host, other_imports, ...steady } = others // a log without them goes on, too
    return steady
  })
}
