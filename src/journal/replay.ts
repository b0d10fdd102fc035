import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { StringDecoder } from 'node:string_decoder'
import { UsageError } from '../model/errors.ts'
import { fingerprint, KeyTable } from '../model/key-table.ts'
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
  /** The opening line of the last run. */
  opening: Opening | undefined
  /** Rows that are in doubt now. */
  inDoubt = 0
  /** What the end of the log needs before a line is added. */
  mend: Mend | undefined

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

  /** Whether an earlier run got this record from the service. */
  hasRecord(recordId: string): boolean {
    return this.#records.get(fingerprint(recordId)) !== undefined
  }

  /** Takes one line of the log. */
  take(line: ResultLine): void {
    const { status, key = '', hash = '' } = line
    switch (status) {
      case undefined:
        this.opening = line as unknown as Opening
        break
      case 'created':
      case 'existing':
        this.#settle(key, hash, settled)
        if (line.record_id) this.#records.set(fingerprint(line.record_id), 1)
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
export async function replay(path: string): Promise<PastRuns> {
  const past = new PastRuns()
  const size = await stat(path).then(
    found => found.size,
    error => {
      if (error.code === 'ENOENT') return 0
      throw new UsageError(`${path}: the result log cannot be read (${error.code})`)
    },
  )
  if (size === 0) return past
  let number = 0
  const end = { wholeBytes: 0, rest: '' }
  for await (const lines of linesOf(path, end))
    for (const text of lines) {
      number += 1
      takeWhole(past, text, `${path}:${number}`, number === 1)
    }
  if (end.rest !== '') takeLast(past, end, `${path}:${number + 1}`, number === 0)
  return past
}

function takeWhole(past: PastRuns, text: string, place: string, isFirst: boolean): void {
  const line = parseLine(text)
  if (line === undefined || (isFirst && !('rowlift' in line)))
    throw new UsageError(
      `${place}: is not a line of a result log; give another file as --results, or take the damaged line out by hand`,
    )
  past.take(line)
}

/** A last line without its line end was torn by a crash, or lacks nothing but its line end. */
function takeLast(
  past: PastRuns,
  { wholeBytes, rest }: { wholeBytes: number; rest: string },
  place: string,
  isFirst: boolean,
): void {
  const isTorn = parseLine(rest) === undefined && rest.startsWith('{')
  if (!isTorn) takeWhole(past, rest, place, isFirst)
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
async function* linesOf(path: string, end: { wholeBytes: number; rest: string }): AsyncGenerator<string[]> {
  const decoder = new StringDecoder('utf8')
  let position = 0
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    const lines = (end.rest + decoder.write(chunk)).split('\n')
    end.rest = lines.pop() ?? ''
    const lastLineEnd = chunk.lastIndexOf(10)
    if (lastLineEnd !== -1) end.wholeBytes = position + lastLineEnd + 1
    position += chunk.length
    yield lines
  }
  end.rest += decoder.end()
}
