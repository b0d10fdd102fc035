import { sandboxOptions } from '../../app/command-options.ts'
import { UsageError } from '../../model/errors.ts'
import { startSandbox } from '../../sandbox/server.ts'
import type { Run } from '../context.ts'
import { parseFlags } from '../settings-sources.ts'

/** `rowlift sandbox`: serves until a signal comes, and prints its address first. Throws a UsageError. */
export const sandboxCommand: Run = async ({ positionals: [surplus], flags }, context) => {
  if (surplus !== undefined) throw new UsageError('unknown_option', { word: surplus, suggestion: undefined })
  const {
    latency: latencyMs,
    fail,
    drop,
    data: dataFile,
    ...others
  } = parseFlags(sandboxOptions, flags, context)
  const options = { ...others, latencyMs, failShare: fail, dropShare: drop, dataFile }
  const sandbox = await startSandbox(options).catch(error => {
    throw new UsageError('sandbox_failed', { reason: error.message })
  })
  context.stdout.write(`${sandbox.url}\n`)
  await new Promise(context.interrupts.onSignal)
  await sandbox.close()
  return 0
}
