import { Readable } from 'node:stream'
import { inspect } from 'node:util'
import { problem } from '../../model/problem.ts'
import { describeProblem } from '../../report/words.ts'

/**
 * Rows as the bytes of NDJSON, each taken only when there is room for it. When the stream is destroyed, the iterator is told
 * to end, and not waited for: it may be waiting itself for what never comes.
 */
export function linesOfRows(rows: AsyncIterable<unknown> | Iterable<unknown>): Readable {
  let iterator: AsyncIterator<unknown> | Iterator<unknown> | undefined
  let isOver = false
  const next = () => {
    iterator ??= Symbol.asyncIterator in rows ? rows[Symbol.asyncIterator]() : rows[Symbol.iterator]()
    return iterator.next()
  }
  return new Readable({
    highWaterMark: 1, // so a row is not in its buffer when the iterator fails behind it
    async read() {
      try {
        const { done, value } = await next()
        isOver = done === true
        this.push(isOver ? null : `${lineOf(value)}\n`)
      } catch (error) {
        isOver = true
        this.destroy(error as Error)
      }
    },
    destroy(error, done) {
      if (!isOver) void ended(iterator)
      done(error)
    },
  })
}

/** Lets an iterator clean up; what it makes of that is its own affair. */
async function ended(iterator: AsyncIterator<unknown> | Iterator<unknown> | undefined): Promise<void> {
  try {
    await iterator?.return?.()
  } catch {}
}

/** A row as one line: as JSON, or, where it holds what JSON cannot, as a line that is none and says why. */
export function lineOf(row: unknown): string {
  try {
    return JSON.stringify(row, checked)
  } catch (error) {
    const why =
      error instanceof Unwritable
        ? error.message
        : describeProblem(problem('not_serializable', { field: '', what: String(error) }))
    return `${why}: ${inspect(row, { compact: true, breakLength: Number.POSITIVE_INFINITY, depth: 3 })}`
      .replaceAll(/\s+/g, ' ')
      .slice(0, longestQuote)
  }
}

const longestQuote = 1_000

class Unwritable extends Error {}

/** Lets through what comes back as it was; JSON would leave the rest out, or make something else of it. */
function checked(key: string, value: unknown): unknown {
  const kind = unwritableKind(value)
  if (kind === undefined) return value
  throw new Unwritable(describeProblem(problem('not_serializable', { field: key, what: kind })))
}

function unwritableKind(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : String(value)
  if (value instanceof Map || value instanceof Set) return `a ${value.constructor.name}`
  switch (typeof value) {
    case 'undefined':
      return 'undefined'
    case 'bigint':
    case 'function':
    case 'symbol':
      return `a ${typeof value}`
    default:
      return undefined
  }
}
