import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sealing } from '../../src/features/log-tools/sealing.ts'
import { Chain, unseal, withChecksum } from '../../src/store/files/checksum.ts'
import { parseLine } from '../../src/store/files/lines.ts'
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

/** Makes a log as its last run would have left it if that had been killed before its end, with these calls under way. */
export async function leaveCalls(log: string, ...calls: readonly object[]): Promise<void> {
  const texts = (await readFile(log, 'utf8')).split(/(?<=\n)/)
  if (parseLine(texts.at(-1) ?? '')?.ended !== undefined) await writeFile(log, texts.slice(0, -1).join(''))
  const wholes = texts.map(text => unseal(Buffer.from(text.trimEnd())))
  const opening = wholes.findLast(whole => parseLine(whole?.json ?? '')?.rowlift !== undefined)
  const { intents, ...fields } = JSON.parse(opening?.json ?? '')
  const lines = [{ ...fields, generation: 99 }, ...calls.map(call => ({ ...call, log: [1, opening?.crc] }))]
  const chain = opening?.chain === undefined ? undefined : new Chain(opening.chain)
  const text = lines.map(line => chain?.add(JSON.stringify(line)) ?? lineText({ ...line, log: undefined }))
  await writeFile(`${log}.inflight`, text.join(''))
}

/** The lines of a log after a change of each, sealed anew. */
export function resealed(
  text: string,
  change: (line: Record<string, unknown>, at: number) => object,
): string {
  const seal = sealing()
  const lines = text.trimEnd().split('\n')
  return lines
    .map((line, at) => {
      const { chain, crc32, ...fields } = JSON.parse(line)
      return seal(change(fields, at) as { run: string })
    })
    .join('')
}

/** The call of an outcome, as an intent log has it. */
export const callOf = ({ run, at, source, row, line, key, hash }: Record<string, unknown>, name = 'x') => ({
  ...{ run, at, source, row, line, key, hash },
  body: { name },
})
