import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { StringDecoder } from 'node:string_decoder'
import { fingerprint, KeyTable } from '../model/key-table.ts'
import { usageErrors } from '../model/usage-errors.ts'
import type { Opening } from './outcome.ts'

/** What an earlier run made of a key. */
export interface Past {
  readonly is: 'settled' | 'in_doubt'
  /** Whether the row read then as it reads now. */
  readonly sameHash: boolean
}

/** A torn last line is cut off, a whole one gets the line end that it lacks. */
export type Mend = { readonly cutTo: number } | { readonly addLineEnd: true }

/** What a result log tells of the runs before this one. */
export class PastRuns {
  readonly #rows = new KeyTable()
  readonly #toldDuplicates = new KeyTable()
  readonly #records = new KeyTable()
  readonly #keepsRecords: boolean
  /** The opening line of the last run. */
  opening: Opening | undefined
  /** Rows that are in doubt now. */
  inDoubt = 0
  /** What the end of the log needs before a line is added. */
  mend: Mend | undefined

  /** Record ids are kept only where the service may give one twice. */
  constructor(keepsRecords = false) {
    this.#keepsRecords = keepsRecords
  }

  of(key: string, hash: string): Past | undefined {
    const packed = this.#rows.get(fingerprint(key)) ?? open
    const state = packed % states
    if (state === open) return undefined
    return {
      is: state === settled ? 'settled' : 'in_doubt',
      sameHash: Math.floor(packed / states) === shortened(hash),
    }
  }

  /** Whether an earlier run told of this duplicate; of several alike, each is told once. */
  tellsDuplicate(key: string, hash: string): boolean {
    const print = fingerprint(`${key}\n${hash}`)
    const untaken = this.#toldDuplicates.get(print) ?? 0
    if (untaken > 0) this.#toldDuplicates.set(print, untaken - 1)
    return untaken > 0
  }

  /** The line of the log in which an earlier run got this record from the service. */
  recordLine(recordId: string): number | undefined {
    return this.#records.get(fingerprint(recordId))
  }

  /** Takes one line of the log, and its number from 1. */
  take(line: ResultLine, number: number): void {
    const { status, key = '', hash = '' } = line
    switch (status) {
      case undefined:
        this.opening = line as unknown as Opening
        break
      case 'created':
      case 'existing':
        this.#settle(key, hash, settled)
        if (this.#keepsRecords && line.record_id) this.#records.set(fingerprint(line.record_id), number)
        break
      case 'in_doubt':
        this.#settle(key, hash, doubtful)
        break
      case 'failed':
        this.#settle(key, hash, open)
        break
      case 'duplicate': {
        const print = fingerprint(`${key}\n${hash}`)
        this.#toldDuplicates.set(print, (this.#toldDuplicates.get(print) ?? 0) + 1)
      }
    }
  }

  /** A row that has its record keeps it, whatever is told of its key later. */
  #settle(key: string, hash: string, state: number): void {
    const print = fingerprint(key)
    const before = (this.#rows.get(print) ?? open) % states
    if (before === settled || (before === open && state === open)) return
    this.inDoubt += Number(state === doubtful) - Number(before === doubtful)
    this.#rows.set(print, shortened(hash) * states + state)
  }
}

const open = 0
const settled = 1
const doubtful = 2
const states = 4

/** 30 bits of a row's hash, to stand beside its state in one number. */
const shortened = (hash: string) => Number.parseInt(hash.slice(0, 8) || '0', 16) >>> 2

interface ResultLine {
  readonly run?: string
  readonly status?: string
  readonly key?: string
  readonly hash?: string
  readonly record_id?: string
}

/**
 * Reads the result log of earlier runs as a stream. Throws a UsageError when the file is something else, is damaged in
 * its middle or cannot be read; a log that is not there yet tells nothing.
 */
export async function replay(path: string, keepsRecords: boolean): Promise<PastRuns> {
  const past = new PastRuns(keepsRecords)
  if (!(await isThere(path))) return past
  const end = { wholeBytes: 0, rest: '' }
  let number = 0
  for await (const lines of linesOf(path, end))
    for (const text of lines) {
      number += 1
      takeWhole(past, text, path, number)
    }
  if (end.rest !== '') takeLast(past, end, path, number + 1)
  return past
}

async function isThere(path: string): Promise<boolean> {
  const found = await stat(path).catch(error => {
    if (error.code === 'ENOENT') return undefined
    throw usageErrors.unreadable('result log', path, error)
  })
  if (found?.isDirectory()) throw usageErrors.logIsFolder(path)
  return found !== undefined && found.size > 0
}

function takeWhole(past: PastRuns, text: string, path: string, number: number): void {
  const line = parseLine(text)
  if (line === undefined || (number === 1 && !('rowlift' in line)))
    throw usageErrors.notALogLine(path, number)
  past.take(line, number)
}

interface LogEnd {
  wholeBytes: number
  rest: string
}

/** A last line without its line end was torn by a crash (a lost power supply leaves zeros), or lacks only its end. */
function takeLast(past: PastRuns, { wholeBytes, rest }: LogEnd, path: string, number: number): void {
  const isTorn = parseLine(rest) === undefined && /^(\{|\0*$)/.test(rest)
  if (!isTorn) takeWhole(past, rest, path, number)
  past.mend = isTorn ? { cutTo: wholeBytes } : { addLineEnd: true }
}

function parseLine(text: string): ResultLine | undefined {
  try {
    const line = JSON.parse(text)
    return typeof line?.run === 'string' ? line : undefined
  } catch {
    return undefined
  }
}

/** The whole lines of a file, in batches; `end` tells how many bytes they take and what stands behind the last. */
async function* linesOf(path: string, end: LogEnd): AsyncGenerator<string[]> {
  const decoder = new StringDecoder('utf8')
  let position = 0
  for await (const chunk of readableOf(path)) {
    const lines = (end.rest + decoder.write(chunk)).split('\n')
    end.rest = lines.pop() ?? ''
    const lastLineEnd = chunk.lastIndexOf(10)
    if (lastLineEnd !== -1) end.wholeBytes = position + lastLineEnd + 1
    position += chunk.length
    yield lines
  }
  end.rest += decoder.end()
}

async function* readableOf(path: string): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(path) as AsyncIterable<Buffer>
  } catch (error) {
    throw usageErrors.unreadable('result log', path, error as NodeJS.ErrnoException)
  }
}
