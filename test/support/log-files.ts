import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { withChecksum } from '../../src/store/files/checksum.ts'
import { tempFolder } from './cleanup.ts'

/** The line that opens a run of contacts. */
export const openingLine = (run = 'R1', changes: object = {}) => ({
  run,
  at: '2026-11-21T08:00:00.000Z',
  rowlift: '0.1.0',
  base_url: 'https://api.example.com',
  organization_id: 7,
  record: 'contact',
  mapping: 'map.yaml',
  mapping_sha256: 'a1',
  key_columns: ['Email'],
  use_created: true,
  delivery: 'at-least-once',
  sources: ['contacts.csv'],
  ...changes,
})

/** The line of a row; its key is `k` and the number of the row, unless it is another one. */
export const rowLine = (status: string, row: number, changes: object = {}) => ({
  run: 'R1',
  at: '2026-11-21T08:00:01.000Z',
  source: 'contacts.csv',
  row,
  line: row + 1,
  key: `k${row}`,
  hash: '0123456789abcdef',
  status,
  ...changes,
})

/** Why the service refused a row. */
export const answered = (status: number, body: string) => ({
  http_status: status,
  attempts: 1,
  duration_ms: 20,
  errors: [{ message: `the service answered ${status}`, body }],
})

/** A line as a log has it, with its checksum and its line end. */
export const lineText = (line: object): string => `${withChecksum(JSON.stringify(line))}\n`

/** Writes a log of these lines into a new folder; text is written unchanged. */
export async function logOf(...lines: readonly (object | string)[]): Promise<string> {
  const file = join(await tempFolder(), 'results.ndjson')
  const texts = lines.map(line => (typeof line === 'string' ? line : lineText(line)))
  await writeFile(file, texts.join(''))
  return file
}
