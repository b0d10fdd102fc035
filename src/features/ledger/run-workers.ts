import type { Run } from '../../cli/command.ts'
import { sleep } from '../../model/clock.ts'
import { exitCodes } from '../../run/exit-code.ts'
import { writeTexts } from '../../run/ports.ts'
import { withImport } from './access.ts'
import type { workersOptions } from './command-options.ts'
import { readOverview } from './overview.ts'
import { workersJson, workersText } from './workers-text.ts'

const redrawMs = 2_000
const printMs = 10_000
const clearScreen = '\u001b[2J\u001b[H'

/** `rowlift workers`: tells who works on an import in a ledger, once or until its run has ended. Throws a UsageError or a LogError. */
export const runWorkers: Run<typeof workersOptions> = async (
  { values: { watch, json, ...place } },
  context,
) => {
  const { stdout, stdoutIsTerminal, clock, interrupts } = context
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
