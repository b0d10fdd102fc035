import type { Writable } from 'node:stream'
import { z } from 'zod'
import { usageErrors } from '../model/usage-errors.ts'
import { startSandbox } from '../sandbox/server.ts'

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

/** `rowlift sandbox`: serves until `ended` resolves, and prints its address first. Throws a UsageError. */
export async function sandboxCommand(
  flags: Readonly<Record<string, unknown>>,
  stdout: Writable,
  ended: Promise<unknown>,
): Promise<number> {
  const checked = settings.safeParse(flags)
  if (!checked.success)
    throw usageErrors.wrongValues(
      checked.error.issues.map(issue => [`--${String(issue.path[0])}`, issue.message] as const),
    )
  const { port, token, latency, fail, drop, seed, data } = checked.data
  const rateLimit = checked.data['rate-limit']
  const sandbox = await startSandbox({
    port,
    token,
    latencyMs: latency,
    failShare: fail,
    dropShare: drop,
    seed,
    ...(rateLimit !== undefined && { rateLimit }),
    ...(data !== undefined && { dataFile: data }),
  }).catch(error => {
    throw usageErrors.noSandbox(error.message)
  })
  stdout.write(`${sandbox.url}\n`)
  await ended
  await sandbox.close()
  return 0
}
