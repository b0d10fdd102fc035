// `npm run bench`: measures rowlift and what it is compared with, and prints the tables of docs/usage/performance.md.
// Progress goes to stderr.

import { ArgumentError, type BenchArgs, parseArgs } from './args.ts'
import { callsPerSecond } from './calls-per-second.ts'
import { endChildren } from './children.ts'
import { cpuByStage } from './cpu-by-stage.ts'
import { dryRunSpeed } from './dry-run-speed.ts'
import { machineIn } from './machine.ts'
import { machines } from './machines.ts'
import type { BenchContext, Part } from './part.ts'
import { peakMemory } from './peak-memory.ts'
import { startService } from './service.ts'
import { shareOfIdeal } from './share-of-ideal.ts'
import { full, quick as quickSizes } from './sizes.ts'
import { startTime } from './start-time.ts'
import { markdownTable } from './table.ts'
import { createWorkspace, type Workspace } from './workspace.ts'

const parts = {
  a: callsPerSecond,
  b: dryRunSpeed,
  c: shareOfIdeal,
  d: peakMemory,
  e: cpuByStage,
  f: startTime,
  g: machines,
} satisfies Readonly<Record<string, Part>>
type Letter = keyof typeof parts

const signals = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const

const say = (text: string) => process.stderr.write(`${text}\n`)

process.stdout.on('error', () => process.exit(1)) // whoever reads the tables may go away, as `| head` does

process.exitCode = await main(process.argv.slice(2))

/** Returns the exit code: 0 even where a bar is missed, for machines are noisy; 1 when a run went wrong. */
async function main(words: readonly string[]): Promise<number> {
  let asked: BenchArgs<Letter>
  try {
    asked = parseArgs(words, Object.keys(parts) as Letter[])
  } catch (error) {
    if (!(error instanceof ArgumentError)) throw error
    say(`bench: ${error.message}`)
    return 2
  }
  const workspace = await createWorkspace()
  process.once('exit', () => {
    endChildren()
    workspace.remove()
  })
  for (const [signal, exitCode] of Object.entries(signals)) process.once(signal, () => process.exit(exitCode))
  try {
    return await runParts(asked, workspace)
  } finally {
    endChildren()
  }
}

async function runParts({ letters, quick }: BenchArgs<Letter>, workspace: Workspace): Promise<number> {
  let failures = 0
  const context: Omit<BenchContext, 'say'> = {
    workspace,
    service: await startService(),
    sizes: quick ? quickSizes : full,
    onFailure: (what, error) => {
      failures += 1
      say(`WENT WRONG: ${what}: ${error instanceof Error ? error.message : String(error)}`)
    },
  }
  const day = new Date().toISOString().slice(0, 10)
  process.stdout.write(`${day}, ${await machineIn(workspace.path('sync'))}\n`)
  if (quick) process.stdout.write('\nA quick run, of few rows and rounds: not for comparison.\n')
  for (const letter of letters) {
    const { title, reading, measure } = parts[letter]
    const { head, rows } = await measure({ ...context, say: text => say(`${letter}: ${text}`) })
    process.stdout.write(`\n## ${title}\n\n${reading}\n\n${markdownTable(head, rows)}`)
  }
  return failures > 0 ? 1 : 0
}
