import type { Run } from '../../cli/command.ts'
import { sleep } from '../../model/clock.ts'
import {
  aligned,
  counted,
  due,
  grouped,
  jsonLine,
  perSecond,
  rows,
  spanOf,
  timeOf,
  visible,
} from '../../output/text.ts'
import { allStatuses, statusWord } from '../../result/row-counts.ts'
import { exitCodes } from '../../run/exit-code.ts'
import { writeTexts } from '../../run/ports.ts'
import type { workersOptions } from './options.ts'
import { type ImportOverview, readOverview } from './progress.ts'
import { withImport } from './schema.ts'

const redrawMs = 2_000
const appendMs = 10_000
const clearScreen = '\u001b[2J\u001b[H'

/** `rowlift workers`: shows who works on an import in a ledger, once or until its run has ended. Throws a UsageError or a LogError. */
export const runWorkers: Run<typeof workersOptions> = async (
  { values: { watch, json, ...place } },
  context,
) => {
  const { stdout, stdoutIsTerminal, clock, interrupts } = context
  const redraws = watch && stdoutIsTerminal && !json
  const ending = new AbortController()
  const unwatch = watch ? interrupts.onSignal(() => ending.abort()) : () => {}
  await withImport(place, context, async imported => {
    for (let isOver = false; !isOver && !ending.signal.aborted; ) {
      const overview = await readOverview(imported)
      const text = (json ? workersJson : workersText)(imported.name, overview)
      await writeTexts([redraws ? clearScreen + text : text], stdout)
      isOver = !watch || overview.ended !== null
      if (!isOver) await sleep(clock, redraws ? redrawMs : appendMs, ending.signal).catch(() => {})
    }
  }).finally(unwatch)
  return exitCodes.finished
}

function workersText(name: string, overview: ImportOverview): string {
  const { run, runs, began, ended, wave, byStatus, chunks, inDoubt, callsUnderWay, heldForS, cuts } = overview
  const { endedRows, rowsPerSecond, secondsLeft: left, ...database } = paceOf(overview)
  const { commitsPerRow: commits, statementMsPerRow: statementMs } = database
  const pace =
    left !== undefined && `${perSecond(rowsPerSecond, 1000)} a second, about ${spanOf(left * 1000)} left`
  const ends = allStatuses.map(
    status => byStatus[status] && `${grouped(byStatus[status])} ${statusWord(status)}`,
  )
  const times = [`began ${timeOf(began)} UTC`, ended && `ended ${timeOf(ended)} UTC`]
  const { done, underWay, free, later } = chunks
  return due(
    `${visible(name)}: ${due(`run ${runs} (${run})`, wave > 0 && `wave ${wave + 1}`, ...times).join(', ')}`,
    `Rows: ${due(`${grouped(endedRows)} of ${grouped(overview.rows)}`, pace, ...ends).join(', ')}`,
    `Chunks: ${done} done, ${underWay} under way, ${free} free${later > 0 ? `, ${later} for the next wave` : ''}`,
    callsUnderWay > 0 && `Calls under way: ${grouped(callsUnderWay)}`,
    byStatus.unclear && `${rows(byStatus.unclear)} sent again after an unclear answer: perhaps made twice`,
    inDoubt > 0 && `${rows(inDoubt)} in doubt: rowlift resolve`,
    heldForS > 0 && `Waiting: ${spanOf(heldForS * 1000)}, as the service asks`,
    commits !== undefined && `Database: ${commits} commits and ${statementMs} ms of statements a row`,
    cuts > 0 && `Slowed down: ${counted(cuts, 'time')}`,
    ...workerTable(overview),
    '',
  ).join('\n')
}

function workerTable({ workers }: ImportOverview): string[] {
  if (workers.length === 0) return ['No worker is there.']
  const table = workers.map(({ name, since, seenAgoS, isGone, rows, chunks }) => {
    const seen = `${isGone ? 'gone, ' : ''}${spanOf(Math.max(0, seenAgoS) * 1000)} ago`
    return [name, timeOf(since), seen, grouped(rows), grouped(chunks)]
  })
  return aligned([['worker', 'since (UTC)', 'last seen', 'rows', 'chunks'], ...table])
}

/** The pace of the workers that are there, since they began, and what a row takes of the database; the time left is undefined if nobody knows. */
function paceOf({ rows, byStatus, ended, workers }: ImportOverview) {
  const endedRows = allStatuses.reduce((sum, status) => sum + (byStatus[status] ?? 0), 0)
  const paces = workers.map(({ isGone, rows, workedForS }) => (isGone ? 0 : rows / Math.max(1, workedForS)))
  const rowsPerSecond = paces.reduce((sum, pace) => sum + pace, 0)
  const isKnown = ended === null && rowsPerSecond > 0
  const secondsLeft = isKnown ? Math.round(Math.max(0, rows - endedRows) / rowsPerSecond) : undefined
  const sum = (of: 'rows' | 'commits' | 'statementMs') => workers.reduce((all, each) => all + each[of], 0)
  const perRow = (of: 'commits' | 'statementMs') =>
    sum('rows') > 0 ? Number((sum(of) / sum('rows')).toFixed(3)) : undefined
  const database = { commitsPerRow: perRow('commits'), statementMsPerRow: perRow('statementMs') }
  return { endedRows, rowsPerSecond, secondsLeft, ...database }
}

/** Writes an overview for programs, in one line: the names stay. */
function workersJson(name: string, overview: ImportOverview): string {
  const { endedRows: _, rowsPerSecond, ...pace } = paceOf(overview)
  const facts = { import: name, ...overview, rowsPerSecond: Number(rowsPerSecond.toFixed(1)), ...pace }
  return jsonLine(facts)
}
