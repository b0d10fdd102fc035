import type { Run } from '../../cli/command.ts'
import { UsageError } from '../../model/errors.ts'
import type { sandboxOptions } from './options.ts'
import { startSandbox } from './server.ts'

/** `rowlift sandbox`: serves until a signal comes, and prints its address first. Throws a UsageError. */
export const runSandbox: Run<typeof sandboxOptions> = async ({ positionals: [surplus], values }, context) => {
  if (surplus !== undefined) throw new UsageError('unknown_option', { word: surplus, suggestion: undefined })
  const { latency: latencyMs, fail, drop, data: dataFile, ...others } = values
  const options = { ...others, latencyMs, failShare: fail, dropShare: drop, dataFile }
  const sandbox = await startSandbox(options).catch(error => {
    throw new UsageError('sandbox_failed', { reason: error.message })
  })
  context.stdout.write(`${sandbox.url}\n`)
  await new Promise(context.interrupts.onSignal)
  await sandbox.close()
  return 0
}
