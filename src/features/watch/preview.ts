// What a mapping makes of the first rows, and what another one changes.
import { Readable } from 'node:stream'
import { type CheckedSource, rowsOfAll } from '../../input/open.ts'
import { standardInput } from '../../input/source.ts'
import { fieldDifferences } from '../../mapping/run-tests.ts'
import { isContentKey } from '../../model/content-key.ts'
import type { FieldDifference } from '../../model/mapping-report.ts'
import type { Outcome } from '../../model/outcome.ts'
import type { Row } from '../../model/row.ts'
import { paintFor } from '../../output/paint.ts'
import { fieldText } from '../../output/test-text.ts'
import { counted, grouped, rows, visible } from '../../output/text.ts'
import { describeProblem } from '../../output/words.ts'
import { statuses } from '../../result/row-counts.ts'
import { shorten } from '../../result/short-texts.ts'
import type { Ports } from '../../run/ports.ts'
import { type ImportJob, prepare } from '../../run/prepare.ts'
import { run } from '../../run/run.ts'

/** Outcomes of the rows that `where` selects, by their places. */
export type Preview = ReadonlyMap<string, Outcome>

const mostRows = 1_000
const mostBytes = 50_000_000
/** Settings without a log, so that no row is done, and without files to write. */
const alone = {
  ...{ results: standardInput, preview: undefined, report: undefined, rejects: undefined },
  ...{ ledger: undefined, import: undefined, maxFailures: undefined },
}

/** Predicts the outcomes of the first rows. Throws a UsageError or a SourceError. */
export async function previewOf(job: ImportJob, ports: Ports): Promise<Preview> {
  const settings = { ...job.settings, ...alone }
  const prepared = await prepare({ ...job, settings }, { ...ports, streams: undefined, emit() {} })
  const first = await firstRows(prepared.sources)
  const sources = prepared.sources.slice(0, 1).map(each => ({ ...each, rows: () => Readable.from([first]) }))
  const outcomes = new Map<string, Outcome>()
  const keep = (outcome: Outcome, row: Row) => void outcomes.set(`${row.source} ${row.row}`, outcome)
  await run({ ...prepared, sources }, { sinks: [{ keep, close: async () => {} }] })
  if (prepared.stop.reason?.code === 'defect') throw prepared.stop.reason.params.error
  return outcomes
}

async function firstRows(sources: readonly CheckedSource[]): Promise<Row[]> {
  const first: Row[] = []
  let bytes = 0
  const count = ({ length }: Buffer) => {
    bytes += length
  }
  for await (const batch of rowsOfAll(sources, count))
    if (first.push(...batch.slice(0, mostRows - first.length)) >= mostRows || bytes > mostBytes) break
  return first
}

export function describePreview(preview: Preview, mapping: string): string {
  const good = [...preview.values()].filter(({ status }) => status === 'valid').length
  return `${grouped(good)} of the first ${rows(preview.size)} would be sent. Watching ${visible(mapping)}; Ctrl-C ends.\n`
}

const mostChanges = 10
const longestChange = 120

/** Describes rows of which another body is made, or which have none for another reason: a field on a line. */
export function describeChanges(before: Preview, after: Preview, hasColors: boolean): string {
  const paint = paintFor(hasColors)
  const cut = (text: string) => visible(shorten(text, longestChange))
  const changes = [...new Map([...before, ...after])].flatMap(([place, { identity }]) => {
    const fields = changedFields(before.get(place), after.get(place))
    return fields.length === 0 ? [] : [{ identity, fields }]
  })
  const lines = changes.slice(0, mostChanges).flatMap(({ identity: { source, line, key }, fields }) => {
    const row = `${cut(source)}:${line}${isContentKey(key) ? '' : ` (${cut(key)})`}: `
    return fields.slice(0, mostChanges).map(({ path, expected, received }) => {
      const text = (value: unknown) => cut(path === '' ? String(value) : fieldText(value))
      const field = path === '' ? '' : `${cut(path)}  `
      return `${row}${field}${paint('red', text(expected))} -> ${paint('green', text(received))}\n`
    })
  })
  const bodies = counted(Math.max(before.size, after.size), 'body', 'bodies')
  return `${lines.join('')}${grouped(changes.length)} of ${bodies} changed\n`
}

/** Compares two bodies, or what became of a row if it lacks one: then the path is empty. */
function changedFields(old: Outcome | undefined, now: Outcome | undefined): FieldDifference[] {
  if (old?.status === 'valid' && now?.status === 'valid')
    return fieldDifferences(JSON.parse(JSON.stringify(old.body)), JSON.parse(JSON.stringify(now.body)))
  const [expected, received] = [old, now].map(endText)
  return expected === received ? [] : [{ path: '', expected, received }]
}

function endText(outcome: Outcome | undefined): string {
  if (outcome?.status !== 'invalid') return statuses[outcome?.status ?? 'left_out'].join(' ').trim()
  return outcome.errors.map(error => `${error.path ?? ''} ${describeProblem(error)}`.trim()).join('; ')
}
