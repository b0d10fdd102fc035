import { z } from 'zod'
import { pathIn } from '../../app/ports.ts'
import { parseFlags } from '../../app/settings.ts'
import { UsageError } from '../../model/errors.ts'
import { startSandbox } from '../../sandbox/server.ts'
import type { CliContext } from '../context.ts'

const share = z.number().min(0).max(1)
const settings = z.object({
  port: z.int().min(0).max(65_535),
  token: z.string().min(1),
  latency: z.number().min(0),
  'rate-limit': z.number().positive().optional(),
  fail: share,
  drop: share,
  seed: z.int(),
  data: z.string().optional(),
})

/** `rowlift sandbox`: serves until a signal comes, and prints its address first. Throws a UsageError. */
export async function sandboxCommand(
  flags: Readonly<Record<string, unknown>>,
  context: CliContext,
): Promise<number> {
  const {
    port,
    token,
    latency,
    fail,
    drop,
    seed,
    data,
    'rate-limit': rateLimit,
  } = parseFlags(settings, flags)
  const sandbox = await startSandbox({
    port,
    token,
    latencyMs: latency,
    failShare: fail,
    dropShare: drop,
    seed,
    ...(rateLimit !== undefined && { rateLimit }),
    ...(data !== undefined && { dataFile: pathIn(context, data) }),
  }).catch(error => {
    throw new UsageError('no_sandbox', { reason: error.message })
  })
  context.stdout.write(`${sandbox.url}\n`)
  await new Promise(context.interrupts.onSignal)
  await sandbox.close()
  return 0
}
