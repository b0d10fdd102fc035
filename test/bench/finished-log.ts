import { randomUUID } from 'node:crypto'
import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { ulid } from 'ulid'
import { type CheckedSource, checkSources } from '../../src/input/open.ts'
import { loadMapping, type Mapping } from '../../src/mapping/mapping.ts'
import { bodyHash } from '../../src/model/spelling.ts'
import { Chain } from '../../src/store/files/checksum.ts'
import { resultLine } from '../../src/store/files/lines.ts'

/** What an import is made of: paths, and the service's URL. */
export interface ImportedFiles {
  readonly source: string
  readonly mapping: string
  readonly log: string
  readonly url: string
}

/** Writes the result log that an import leaves which created every row, with the import's own functions but without its calls. */
export async function writeFinishedLog({ source, mapping: path, log, url }: ImportedFiles): Promise<void> {
  const mapping = await loadMapping(path)
  const rows = await rowsOf(source, mapping)
  const run = ulid()
  const lineOf = lineMaker(run, mapping)
  await using file = await open(log, 'w')
  const chain = new Chain(0)
  await file.write(chain.add(JSON.stringify(openingOf({ run, source, url }, mapping))))
  let created = 0
  for await (const batch of rows) {
    const lines = batch.map((row, at) => (at === 0 ? withSyncPoint(lineOf(row)) : lineOf(row)))
    await file.write(lines.map(line => chain.add(line)).join(''))
    created += batch.length
  }
  const ended = { rows: created, created }
  await file.write(chain.add(JSON.stringify({ run, at: new Date(), ended, lines: chain.lines + 1 })))
}

/** Begins a group of lines: without any, the next run would write the whole log again. */
const withSyncPoint = (line: string) => `${line.slice(0, -1)},"intents":[0,1,0]}`

async function rowsOf(path: string, mapping: Mapping): Promise<ReturnType<CheckedSource['rows']>> {
  const context = { stdin: Readable.from([]), signal: new AbortController().signal, onRead: () => {} }
  const [source] = await checkSources([path], { header: { type: 'first_line' }, ragged: 'invalid' }, context)
  if (source?.columns === undefined) throw new Error(`${path} is no table`)
  mapping.checkColumns(source.columns, path)
  mapping.settleColumns([source.columns])
  return source.rows()
}

function openingOf({ run, source, url }: { run: string; source: string; url: string }, mapping: Mapping) {
  return {
    ...{ run, at: new Date().toISOString(), rowlift: '0.0.0', base_url: url, organization_id: 7 },
    ...{ record: mapping.record, mapping: mapping.file, mapping_sha256: mapping.sha256 },
    ...{ key_columns: mapping.keyColumns, use_created: true, delivery: 'at-least-once', sources: [source] },
  }
}

function lineMaker(run: string, mapping: Mapping) {
  const identify = mapping.identifier()
  const made = { status: 'created', before: undefined, httpStatus: 200, attempts: 1, durationMs: 25 } as const
  const { record } = mapping
  return (row: Parameters<typeof identify>[0]) => {
    const identity = identify(row)
    const mapped = mapping.map(row)
    if ('body' in mapped) identity.body_hash = bodyHash(JSON.stringify(mapped.body))
    return resultLine(
      { ...made, identity, recordId: randomUUID() },
      { run, at: new Date(), record, describe: () => '' },
    )
  }
}
