import { workersOptions } from '../../app/command-options.ts'
import { exitCodes } from '../../app/exit-code.ts'
import { withImport } from '../../app/ledger.ts'
import { writeTexts } from '../../app/ports.ts'
import { readOverview } from '../../journal/ledger/overview.ts'
import { sleep } from '../../model/clock.ts'
import type { ImportOverview } from '../../model/import-overview.ts'
import { endedRows, meanPace, workersJson, workersText } from '../../report/workers-text.ts'
import type { Run } from '../context.ts'
import { parseFlags } from '../settings-sources.ts'

const redrawMs = 2_000
const printMs = 10_000
const clearScreen = '\u001b[2J\u001b[H'

/** `rowlift workers`: tells who works on an import in a ledger, once or until its run has ended. Throws a UsageError or a LogError. */
export const workersCommand: Run = async ({ flags }, context) => {
  const { stdout, stdoutIsTerminal, clock, interrupts } = context
  const { watch, json, ...place } = parseFlags(workersOptions, flags, context)
  const redraws = watch && stdoutIsTerminal && !json
  const ending = new AbortController()
  const unwatch = watch ? interrupts.onSignal(() => ending.abort()) : () => {}
  const paceOf = paceMeter()
  await withImport(place, context, async found => {
    for (;;) {
      const overview = await readOverview(found)
      const pace = paceOf(overview, clock.elapsedMs())
      const text = (json ? workersJson : workersText)(found.name, overview, pace)
      await writeTexts([redraws ? clearScreen + text : text], stdout)
      if (!watch || overview.ended !== null) return
      await sleep(clock, redraws ? redrawMs : printMs, ending.signal).catch(() => {})
      if (ending.signal.aborted) return
    }
  }).finally(unwatch)
  return exitCodes.finished
}

const measuredMs = 300_000
const shortestMs = 20_000

/** Rows a second in the last minutes that it saw; of the workers where it saw none. */
function paceMeter() {
  let seen: { readonly ms: number; readonly rows: number }[] = []
  return (overview: ImportOverview, ms: number): number => {
    const rows = endedRows(overview)
    seen = [...seen.filter(sample => sample.ms >= ms - measuredMs), { ms, rows }]
    const [first = { ms, rows }] = seen
    return ms - first.ms < shortestMs ? meanPace(overview) : ((rows - first.rows) * 1000) / (ms - first.ms)
  }
}
