import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { type ChunkReader, chunkReader } from '../../src/features/ledger/chunk-reader.ts'
import { type CheckedSource, checkSources, rowsOfAll } from '../../src/input/open.ts'
import { type SourceSettings, standardInput } from '../../src/input/source.ts'
import { SourceError } from '../../src/model/errors.ts'
import type { Row } from '../../src/model/row.ts'
import { atEnd, tempFolder } from './cleanup.ts'

type Content = string | Buffer

const usual: SourceSettings = { header: { type: 'first_line' }, ragged: 'invalid' }

/** How a test reads a source. */
export interface ReadOptions extends Partial<SourceSettings> {
  /** The bytes of each chunk; all in one without it. */
  readonly chunk?: number
  /** Called with each chunk of bytes. */
  readonly onRead?: (bytes: Buffer) => void
}

const readers = new WeakMap<CheckedSource, ChunkReader>()

/** The reader of a source's chunks, one for each source. */
export function chunksOf(source: CheckedSource | undefined): ChunkReader | undefined {
  if (source === undefined) return undefined
  const reader = readers.get(source) ?? chunkReader(source)
  readers.set(source, reader)
  return reader
}

/** The bytes in pieces of a length, or whole. */
export function piecesOf(bytes: Buffer, length = Math.max(1, bytes.length)): Buffer[] {
  const pieces: Buffer[] = []
  for (let at = 0; at < bytes.length; at += length) pieces.push(bytes.subarray(at, at + length))
  return pieces
}

/** Looks at sources as an import does; standard input is what `stdin` says. */
export async function check(
  paths: readonly string[],
  { onRead = () => {}, chunk: _, ...settings }: ReadOptions = {},
  stdin: Readable = Readable.from([]),
): Promise<CheckedSource[]> {
  const { signal } = new AbortController()
  const sources = await checkSources(paths, { ...usual, ...settings }, { stdin, signal, onRead })
  atEnd(async () => {
    for (const source of sources) await chunksOf(source)?.close()
  })
  return sources
}

/** All rows of all sources. */
export async function rowsOf(sources: readonly CheckedSource[]): Promise<Row[]> {
  const rows: Row[] = []
  for await (const batch of rowsOfAll(sources)) rows.push(...batch)
  return rows
}

/** Reads content from standard input, in chunks of the asked length. */
export async function read(content: Content, options: ReadOptions = {}): Promise<Row[]> {
  const stdin = Readable.from(piecesOf(Buffer.from(content), options.chunk))
  return rowsOf(await check([standardInput], options, stdin))
}

/** The same for NDJSON. */
export const readNdjson = (content: Content, options: ReadOptions = {}): Promise<Row[]> =>
  read(content, { ...options, format: 'ndjson' })

/** Reads content from a file of that name. */
export async function readFileOf(name: string, content: Content, options: ReadOptions = {}): Promise<Row[]> {
  return rowsOf(await check([await fileWith(name, content)], options))
}

/** A file in a new folder; both are removed when the test ends. */
export async function fileWith(name: string, content: Content): Promise<string> {
  const path = join(await tempFolder(), name)
  await writeFile(path, content)
  return path
}

/** The cells of each row, in their order. */
export const cellsOf = (rows: readonly Row[]): unknown[][] =>
  rows.map(row => [...row.cells()].map(([, value]) => value))

/** The number and the line of each row. */
export const placesOf = (rows: readonly Row[]): number[][] => rows.map(({ row, line }) => [row, line])

/** The SourceError that reading ends with; any other end fails the test. */
async function sourceError(reading: Promise<unknown>): Promise<SourceError> {
  const end = await reading.then(
    () => 'it ended without a fault',
    error => error,
  )
  if (end instanceof SourceError) return end
  throw end instanceof Error ? end : new Error(String(end))
}

/** The message of the SourceError. */
export const sourceFault = async (reading: Promise<unknown>): Promise<string> =>
  (await sourceError(reading)).message

/** The code and the parameters of the SourceError. */
export const sourceProblem = async (reading: Promise<unknown>): Promise<SourceError['problem']> =>
  (await sourceError(reading)).problem
