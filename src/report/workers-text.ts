// What `rowlift workers` tells of an import in a ledger.
import type { ImportOverview } from '../model/import-overview.ts'
import { inSnakeCase } from './log-overview.ts'
import { allStatuses, statusWord } from './statuses.ts'
import { aligned, counted, grouped, perSecond, rows, spanOf, timeOf, visible, visibleJson } from './text.ts'

export const endedRows = ({ byStatus }: ImportOverview): number =>
  allStatuses.reduce((sum, status) => sum + (byStatus[status] ?? 0), 0)

/** Rows a second, as its workers took them since they began; 0 where none is there. */
export const meanPace = ({ workers }: ImportOverview): number =>
  workers
    .filter(({ isGone }) => !isGone)
    .reduce((sum, { rows, workedForS }) => sum + rows / Math.max(1, workedForS), 0)

export function workersText(name: string, overview: ImportOverview, rowsPerSecond: number): string {
  const { run, runs, began, ended, wave, chunks, inDoubt, callsUnderWay, heldForS, cuts } = overview
  const left = secondsLeft(overview, rowsPerSecond)
  const facts = [
    `${grouped(endedRows(overview))} of ${grouped(overview.rows)}${
      left === undefined
        ? ''
        : `, ${perSecond(rowsPerSecond, 1000)} a second, about ${spanOf(left * 1000)} left`
    }`,
    ...allStatuses.flatMap(status => {
      const count = overview.byStatus[status] ?? 0
      return count > 0 ? [`${grouped(count)} ${statusWord(status)}`] : []
    }),
  ]
  const parts = [`${chunks.done} done`, `${chunks.underWay} under way`, `${chunks.free} free`]
  const later = chunks.later > 0 ? [`${chunks.later} for the next wave`] : []
  return [
    `${visible(name)}: run ${runs} (${run})${wave > 0 ? `, wave ${wave + 1}` : ''}, began ${timeOf(began)} UTC${
      ended === null ? '' : `, ended ${timeOf(ended)} UTC`
    }`,
    `Rows: ${facts.join(', ')}`,
    `Chunks: ${[...parts, ...later].join(', ')}`,
    ...(callsUnderWay > 0 ? [`Calls under way: ${grouped(callsUnderWay)}`] : []),
    ...(inDoubt > 0 ? [`${rows(inDoubt)} in doubt: rowlift resolve`] : []),
    ...(heldForS > 0 ? [`Waiting: ${spanOf(heldForS * 1000)}, as the service asks`] : []),
    ...(cuts > 0 ? [`Slowed down: ${counted(cuts, 'time')}`] : []),
    ...workerTable(overview),
    '',
  ].join('\n')
}

function workerTable({ workers }: ImportOverview): string[] {
  if (workers.length === 0) return ['No worker is there.']
  const table = workers.map(({ name, since, seenAgoS, isGone, rows, chunks }) => {
    const seen = `${isGone ? 'gone, ' : ''}${spanOf(Math.max(0, seenAgoS) * 1000)} ago`
    return [name, timeOf(since), seen, grouped(rows), grouped(chunks)]
  })
  return aligned([['worker', 'since (UTC)', 'last seen', 'rows', 'chunks'], ...table])
}

/** Undefined where nobody knows. */
function secondsLeft(overview: ImportOverview, rowsPerSecond: number): number | undefined {
  if (overview.ended !== null || rowsPerSecond <= 0) return undefined
  return Math.round(Math.max(0, overview.rows - endedRows(overview)) / rowsPerSecond)
}

/** For programs, in one line: the names stay. */
export function workersJson(name: string, overview: ImportOverview, pace: number): string {
  const rowsPerSecond = Number(pace.toFixed(1))
  const told = { import: name, ...overview, rowsPerSecond, secondsLeft: secondsLeft(overview, pace) }
  return visibleJson(`${JSON.stringify(told, inSnakeCase)}\n`)
}
