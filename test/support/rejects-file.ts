import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { stringify } from 'csv-stringify/sync'
import iconv from 'iconv-lite'
import { folderWith, into, rowlift } from './rowlift.ts'
import { type ServiceOptions, startService } from './service.ts'

/** The cells of a rejected row by their columns. */
export type RejectedCells = Record<string, string>

/** How the edited file is saved. */
export interface SaveOptions {
  /** The delimiter of the file, and of the saved file. */
  readonly delimiter?: string
  readonly savedDelimiter?: string
  /** UTF-8 with a byte order mark by default. */
  readonly encoding?: string
}

/** The header and the rows of a CSV file of rejected rows. */
export async function recordsIn(file: string, delimiter = ','): Promise<string[][]> {
  return parse(await readFile(file), { bom: true, delimiter })
}

/** Edits a CSV file of rejected rows and saves it like a spreadsheet, with all rows equally long. */
export async function editRejects(
  file: string,
  mend: (row: RejectedCells) => void,
  { delimiter = ',', savedDelimiter = delimiter, encoding }: SaveOptions = {},
): Promise<void> {
  const [header = [], ...rows] = await recordsIn(file, delimiter)
  const mended = rows.map(cells => {
    const row = Object.fromEntries(header.map((column, at) => [column, cells[at] ?? '']))
    mend(row)
    return header.map((column, at) => (header.lastIndexOf(column) === at ? row[column] : cells[at]))
  })
  const text = stringify([header, ...mended], { delimiter: savedDelimiter, record_delimiter: '\r\n' })
  await writeFile(file, encoding === undefined ? `\uFEFF${text}` : iconv.encode(text, encoding))
}

/** Changes the lines of a file of NDJSON. */
export async function editLines(file: string, mend: (line: string) => string): Promise<void> {
  await writeFile(file, (await readFile(file, 'utf8')).split('\n').map(mend).join('\n'))
}

/**
 * An import whose rejected rows are kept, into a service that refuses tasks that have a forbidden name; `exported` is the import of
 * the sources, `repaired` that of the rejected rows.
 */
export async function importWithRejects(
  files: Readonly<Record<string, string | Buffer>>,
  sources: readonly string[],
  rejects = 'bad.csv',
  options: ServiceOptions = {},
) {
  const service = await startService({
    react: (_, { body }) =>
      String(body.name).includes('forbidden') ? { answer: 422, body: 'no such word' } : 'create',
    ...options,
  })
  const cwd = await folderWith(files)
  const args = (given: readonly string[], ...more: string[]) => [
    ...['import', ...given, '-m', 'map.yaml', ...into(service.url), ...more],
  ]
  return {
    service,
    cwd,
    args,
    bad: join(cwd, rejects),
    log: join(cwd, 'results.ndjson'),
    exported: () => rowlift(args(sources, '--rejects', rejects), { cwd }),
    repaired: () => rowlift(args([rejects], '--rejects', `again.${rejects}`), { cwd }),
  }
}
