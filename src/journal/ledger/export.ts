import { TransformStream } from 'node:stream/web'
import type { Query } from './database.ts'
import type { FoundImport } from './found-import.ts'

const linesAtOnce = 1_000

/** The import as a result log: each run between its opening and its closing line. It is read from one view of the database. */
export async function* logTexts({
  database,
  id,
}: Pick<FoundImport, 'database' | 'id'>): AsyncGenerator<string> {
  const { readable, writable } = new TransformStream<string, string>()
  const writer = writable.getWriter()
  const reading = database
    .snapshot(query => writeRuns(query, id, text => writer.write(text)))
    .then(
      () => writer.close(),
      error => writer.abort(error),
    )
    .catch(() => {}) // nobody reads any more
  yield* readable
  await reading
}

interface RunTexts {
  readonly id: number
  readonly opening: string
  readonly closing: string | null
}

async function writeRuns(
  query: Query,
  importId: number,
  write: (text: string) => Promise<void>,
): Promise<void> {
  const runs = await query<RunTexts>(
    'SELECT id, opening, closing FROM rowlift.run WHERE import = $1 ORDER BY id',
    [importId],
  )
  for (const { id, opening, closing } of runs) {
    await write(`${opening}\n`)
    await query(
      `DECLARE lines NO SCROLL CURSOR FOR SELECT line FROM rowlift.line WHERE run = ${id} ORDER BY seq`,
    )
    for (let at = linesAtOnce; at === linesAtOnce; ) {
      const lines = await query<{ line: string }>(`FETCH ${linesAtOnce} FROM lines`)
      at = lines.length
      await write(lines.map(({ line }) => `${line}\n`).join(''))
    }
    await query('CLOSE lines')
    if (closing !== null) await write(`${closing}\n`)
  }
}
