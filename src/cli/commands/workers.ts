import { workersOptions } from '../../app/command-options.ts'
import { exitCodes } from '../../app/exit-code.ts'
import { withImport } from '../../app/ledger.ts'
import { writeTexts } from '../../app/ports.ts'
import { readOverview } from '../../journal/ledger/overview.ts'
import { sleep } from '../../model/clock.ts'
import { workersJson, workersText } from '../../report/workers-text.ts'
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
  await withImport(place, context, async found => {
    for (let isOver = false; !isOver && !ending.signal.aborted; ) {
      const overview = await readOverview(found)
      const text = (json ? workersJson : workersText)(found.name, overview)
      await writeTexts([redraws ? clearScreen + text : text], stdout)
      isOver = !watch || overview.ended !== null
      if (!isOver) await sleep(clock, redraws ? redrawMs : printMs, ending.signal).catch(() => {})
    }
  }).finally(unwatch)
  return exitCodes.finished
}
