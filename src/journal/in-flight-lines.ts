import { UsageError } from '../model/errors.ts'
import type { Body, Call, RowIdentity } from '../model/row.ts'
import type { RecordType } from '../records/kinds.ts'
import { FileEnd, isThere, linesOf } from './log-lines.ts'
import {
  type Doubt,
  earlierNameFields,
  nameFields,
  type OldNames,
  type Opening,
  withBody,
} from './outcome.ts'

/** Where the calls that may be under way are kept. */
export const inFlightPath = (results: string): string => `${results}.inflight`

/** A call that may have gone out, and what went out with it. */
export interface Abandoned extends RowIdentity, OldNames {
  /** The run that sent it. */
  readonly run: string
  /** When it began. */
  readonly at: string
  readonly body: Body
}

/** What a run left in `<results>.inflight`: its opening line, and by their keys the calls that were not over. */
export interface UnderWay {
  readonly opening: Opening
  readonly calls: Map<string, Abandoned>
}

/** What a call that was under way when its run ended means for its row (DESIGN 5), as a line of the log tells it. */
export const abandonedDoubt = (call: Abandoned, record: RecordType): Doubt => ({
  run: call.run,
  at: call.at,
  ...earlierNameFields(call),
  status: 'in_doubt',
  record_type: record,
  errors: [{ code: 'run_killed' }],
  body: call.body,
})

/** The line that says that a call is about to go out. */
export const beginLine = (run: string, at: Date, { identity, body }: Call): string =>
  withBody({ run, at: at.toISOString(), ...nameFields(identity) }, body)

/** The line that says that it is over without having reached anything. */
export const overLine = (run: string, { identity: { key } }: Call): string =>
  JSON.stringify({ run, key, over: true })

/**
 * Reads the calls that a run left under way; undefined when there is nothing. A later line that cannot be read was not
 * yet on disk when the run ended, so its call never went out. Throws a UsageError when the file cannot be read.
 */
export async function readUnderWay(results: string): Promise<UnderWay | undefined> {
  const path = inFlightPath(results)
  let underWay: UnderWay | undefined
  for await (const text of textsOf(path)) {
    const line = parsed(text)
    if (underWay === undefined) underWay = { opening: openingOf(line, path), calls: new Map() }
    else if (line?.over) underWay.calls.delete(line.key)
    else if (typeof line?.key === 'string') underWay.calls.set(line.key, line)
  }
  return underWay
}

async function* textsOf(path: string): AsyncGenerator<string> {
  if (!(await isThere(path))) return
  const end = new FileEnd()
  for await (const lines of linesOf(path, end)) yield* lines
  if (end.rest !== '') yield end.rest
}

function openingOf(line: unknown, path: string): Opening {
  const opening = line as Opening | undefined
  if (typeof opening?.run === 'string' && 'rowlift' in opening) return opening
  throw new UsageError('bad_in_flight_file', { path })
}

type Line = Abandoned & { readonly over?: boolean }

function parsed(text: string): Line | undefined {
  try {
    return JSON.parse(text) ?? undefined
  } catch {
    return undefined
  }
}
