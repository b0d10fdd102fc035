import { Readable } from 'node:stream'
import { type CheckedSource, rowsOfAll } from '../../input/open.ts'
import { standardInput } from '../../input/source.ts'
import type { Mapping } from '../../mapping/mapping.ts'
import { fieldDifferences } from '../../mapping/run-tests.ts'
import type { FieldDifference, RowChange } from '../../model/mapping-report.ts'
import type { Outcome } from '../../model/outcome.ts'
import type { Row } from '../../model/row.ts'
import { describeProblem } from '../../output/words.ts'
import { statuses } from '../../result/row-counts.ts'
import type { ImportPorts } from '../../run/ports.ts'
import { type ImportJob, prepare } from '../../run/prepare.ts'
import { run } from '../../run/run.ts'

/** The outcomes of the rows that `where` selects, by their places. */
export type Tried = ReadonlyMap<string, Outcome>

const mostRows = 1_000
const mostBytes = 50_000_000
/** Without a log no row is done, and nothing is written. */
const alone = {
  ...{ results: standardInput, preview: undefined, report: undefined, rejects: undefined },
  ...{ ledger: undefined, import: undefined, maxFailures: undefined },
}

/** Returns what predicts the first rows again and again. They are read again where `version`, that of the sources, or their settings differ. */
export function trialOf(job: ImportJob, ports: ImportPorts) {
  let rows: Row[] = []
  let read = ''
  /** Throws a UsageError or a SourceError. */
  return async (mapping: Mapping, version: string): Promise<Tried> => {
    const settings = { ...job.settings, ...alone }
    const prepared = await prepare({ ...job, settings, mapping }, { ...ports, streams: undefined })
    const reading = version + JSON.stringify(prepared.options.sourceSettings)
    if (reading !== read) rows = await firstOf(prepared.sources)
    read = reading
    const tried = new Map<string, Outcome>()
    const keep = (outcome: Outcome, row: Row) => void tried.set(`${row.source} ${row.row}`, outcome)
    const sources = prepared.sources.slice(0, 1).map(each => ({ ...each, rows: () => Readable.from([rows]) }))
    await run({ ...prepared, sources }, { sinks: [{ keep, close: async () => {} }] })
    if (prepared.stop.reason?.code === 'defect') throw prepared.stop.reason.params.error
    return tried
  }
}

async function firstOf(sources: readonly CheckedSource[]): Promise<Row[]> {
  const rows: Row[] = []
  let bytes = 0
  const count = ({ length }: Buffer) => {
    bytes += length
  }
  for await (const batch of rowsOfAll(sources, count))
    if (rows.push(...batch.slice(0, mostRows - rows.length)) >= mostRows || bytes > mostBytes) break
  return rows
}

/** The rows of which another body is made, or which have none for another reason. */
export function changesBetween(before: Tried, after: Tried): RowChange[] {
  return [...new Map([...before, ...after])].flatMap(([place, { identity: row }]) => {
    const fields = changedFields(before.get(place), after.get(place))
    return fields.length === 0 ? [] : [{ row, fields }]
  })
}

function changedFields(old: Outcome | undefined, now: Outcome | undefined): FieldDifference[] {
  if (old?.status === 'valid' && now?.status === 'valid') {
    const [before, after] = [JSON.stringify(old.body), JSON.stringify(now.body)]
    return before === after ? [] : fieldDifferences(JSON.parse(before), JSON.parse(after))
  }
  const [expected, received] = [old, now].map(fateOf)
  return expected === received ? [] : [{ path: '', expected, received }]
}

function fateOf(outcome: Outcome | undefined): string {
  if (outcome?.status !== 'invalid') return statuses[outcome?.status ?? 'left_out'].join(' ').trim()
  return outcome.errors.map(error => `${error.path ?? ''} ${describeProblem(error)}`.trim()).join('; ')
}
