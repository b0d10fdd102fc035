import type { Command, Run } from '../../cli/command.ts'
import { UsageError } from '../../model/errors.ts'
import type { Options } from '../../settings/option-values.ts'

const shareOfCalls = { kind: 'number', least: 0, most: 1, default: 0 } as const

const options = {
  port: { kind: 'count', least: 0, most: 65_535, text: 'The port; 0 takes any free one', default: 8787 },
  token: { kind: 'text', text: 'The bearer token that it accepts', default: 'sandbox' },
  latency: { kind: 'number', least: 0, text: 'Milliseconds before each answer', default: 0 },
  rateLimit: { kind: 'number', text: 'Calls per second; above it, 429 with Retry-After' },
  fail: { ...shareOfCalls, text: 'Share of calls (0 to 1) that are answered with 500' },
  drop: { ...shareOfCalls, text: 'Share of calls whose record is made and whose connection is cut' },
  seed: { kind: 'count', least: 0, text: 'Makes `--fail` and `--drop` repeatable', default: 1 },
  data: { kind: 'path', text: 'A file that keeps the records when the sandbox ends' },
} as const satisfies Options

/** Serves until a signal comes, and prints the address first. Throws a UsageError. */
const runSandbox: Run<typeof options> = async ({ positionals: [surplus], values }, context) => {
  if (surplus !== undefined) throw new UsageError('unknown_option', { word: surplus, suggestion: undefined })
  const { latency: latencyMs, fail: failShare, drop: dropShare, data: dataFile, ...others } = values
  const { startSandbox } = await import('./server.ts') // help and completion need no server
  const sandbox = await startSandbox({ ...others, latencyMs, failShare, dropShare, dataFile }).catch(
    error => {
      throw new UsageError('sandbox_failed', { reason: error.message })
    },
  )
  context.stdout.write(`${sandbox.url}\n`)
  await new Promise(context.interrupts.onSignal)
  await sandbox.close()
  return 0
}

export const sandboxCommand: Command = {
  describe: 'Run a local emulator of the service, for a first try',
  usage: ['sandbox'],
  about: 'Serves until it is interrupted. The first line that it prints is its address, for --base-url.',
  options,
  examples: [
    ['rowlift sandbox', 'On port 8787, with the token "sandbox"'],
    ['rowlift sandbox --latency 50 --drop 0.01', 'A service that sometimes loses an answer'],
  ],
  codes: {},
  load: async () => runSandbox,
}
