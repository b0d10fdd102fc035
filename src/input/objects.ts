import { addAbortListener } from 'node:events'
import { inspect } from 'node:util'
import { reasonOf, SourceError } from '../model/errors.ts'
import { type Problem, problem } from '../model/problem.ts'
import type { Place, Row } from '../model/row.ts'
import type { ReadContext } from './bytes.ts'
import { brokenRow, readLine } from './ndjson.ts'
import type { SourceSettings } from './source.ts'

export type ObjectSettings = Pick<Place, 'source'> &
  Pick<ReadContext, 'signal'> &
  Pick<SourceSettings, 'keepsLines'>

/**
 * Reads the objects of a program, one a batch. Each is copied at once, so that the program may change it. A row equals the same
 * object as a line of NDJSON; one that JSON cannot hold has a fault. Throws a SourceError if the iterator fails or the signal
 * is aborted. An iterator that is left early is closed without waiting for it.
 */
export async function* rowsOfObjects(
  objects: AsyncIterable<unknown> | Iterable<unknown>,
  { source, signal, keepsLines = false }: ObjectSettings,
): AsyncGenerator<Row[]> {
  const iterator =
    Symbol.asyncIterator in objects ? objects[Symbol.asyncIterator]() : objects[Symbol.iterator]()
  let isOver = false
  try {
    for (let row = 1; ; row += 1) {
      const next = await untilAborted(signal, () => iterator.next())
      isOver = next.done === true
      if (isOver) return
      yield [readObject({ source, row, line: row }, next.value, keepsLines)]
    }
  } catch (error) {
    isOver = !signal.aborted
    const reason = isOver ? reasonOf(error ?? String(error)) : 'ABORT_ERR'
    throw new SourceError('source_unreadable', { source, reason })
  } finally {
    if (!isOver) void (async () => iterator.return?.())().catch(() => {}) // nobody waits for it
  }
}

async function untilAborted<T>(signal: AbortSignal, call: () => Promise<T> | T): Promise<T> {
  signal.throwIfAborted()
  const result = call()
  if (!(result instanceof Promise)) return result
  return new Promise((resolve, reject) => {
    const listener = addAbortListener(signal, () => reject(signal.reason))
    result.then(resolve, reject).finally(() => listener[Symbol.dispose]())
  })
}

function readObject(place: Place, object: unknown, keepsLine: boolean): Row {
  let fault: Problem | undefined
  try {
    const text = JSON.stringify(object, (key, value) => {
      const kind = unwritableKind(value)
      if (kind !== undefined) fault ??= problem('not_serializable', { field: key, what: kind })
      return value
    })
    if (fault === undefined) return readLine(place, text, keepsLine)
  } catch (error) {
    fault ??= problem('not_serializable', { field: '', what: String(error).split('\n', 1).join() })
  }
  const text = inspect(object, { compact: true, breakLength: Number.POSITIVE_INFINITY, depth: 3 })
  return brokenRow(place, text.replaceAll(/\s+/g, ' ').slice(0, longestText), fault)
}

const longestText = 1_000

/** The kind of a value that JSON leaves out or changes. */
function unwritableKind(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : String(value)
  if (value instanceof Map || value instanceof Set) return `a ${value.constructor.name}`
  if (value === undefined) return 'undefined'
  return ['bigint', 'function', 'symbol'].includes(typeof value) ? `a ${typeof value}` : undefined
}
