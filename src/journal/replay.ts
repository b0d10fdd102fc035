import { UsageError } from '../model/errors.ts'
import { abandonedDoubt, inFlightPath, readUnderWay } from './in-flight-lines.ts'
import { FileEnd, isThere, linesOf } from './log-lines.ts'
import { type ResultLine, settlesCall } from './outcome.ts'
import { PastRuns } from './past-runs.ts'

/**
 * Reads what earlier runs left: the result log, as a stream, and the calls that a run left under way. Throws a
 * UsageError when the log is something else, is damaged in its middle or cannot be read; a log that is not there yet
 * tells nothing. `onLine` hears each line, and whether it has the last word on its row so far. What a run that is not
 * over has under way is left to it.
 */
export async function replay(
  path: string,
  keepsRecords: boolean,
  onLine: (line: NumberedLine, hasWord: boolean) => void = () => {},
  isOver = true,
): Promise<PastRuns> {
  const past = new PastRuns(keepsRecords)
  const underWay = isOver ? await readUnderWay(path) : undefined
  for await (const lines of resultLines(path, past))
    for (const { line, number } of lines) {
      onLine({ line, number }, past.take(line, number))
      if (line.run === underWay?.opening.run && settlesCall(line)) underWay.calls.delete(line.key ?? '')
    }
  if (underWay === undefined) return past
  if (past.opening === undefined) throw new UsageError('log_gone', { path, inFlight: inFlightPath(path) })
  const { opening, calls } = underWay
  past.takeAbandoned([...calls.values()].map(call => abandonedDoubt(call, opening.record)))
  return past
}

/** One line of a result log, and its number from 1. */
export interface NumberedLine {
  readonly line: ResultLine
  readonly number: number
}

/**
 * Every whole line of a result log, in batches; `past` hears what its end needs before a line is added. Throws a
 * UsageError.
 */
export async function* resultLines(path: string, past?: PastRuns): AsyncGenerator<NumberedLine[]> {
  if (!(await isThere(path))) return
  const end = new FileEnd()
  let number = 0
  const numbered = (text: string): NumberedLine => {
    number += 1
    return { line: wholeLine(text, path, number), number }
  }
  for await (const lines of linesOf(path, end)) yield lines.map(numbered)
  if (end.rest === '') return
  const isTorn = parseLine(end.rest) === undefined && /^(\{|\0*$)/.test(end.rest)
  if (past !== undefined) past.mend = isTorn ? { cutTo: end.wholeBytes } : { addLineEnd: true }
  if (!isTorn) yield [numbered(end.rest)]
}

function wholeLine(text: string, path: string, number: number): ResultLine {
  const line = parseLine(text)
  if (number === 1 && (line === undefined || !('rowlift' in line)))
    throw new UsageError('not_a_log', { path })
  if (line === undefined) throw new UsageError('bad_log_line', { path, line: number })
  return line
}

function parseLine(text: string): ResultLine | undefined {
  try {
    const line = JSON.parse(text)
    return typeof line?.run === 'string' && [line.key, line.hash, line.record_id].every(isText)
      ? line
      : undefined
  } catch {
    return undefined
  }
}

/** What names a row or a record is text wherever it stands. */
const isText = (value: unknown) => value === undefined || typeof value === 'string'
