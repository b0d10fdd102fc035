import type { Writable } from 'node:stream'
import { z } from 'zod'
import { usageErrors } from '../model/usage-errors.ts'
import { startSandbox } from '../sandbox/server.ts'
import { checkFlags } from './layers.ts'

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
  const {
    port,
    token,
    latency,
    fail,
    drop,
    seed,
    data,
    'rate-limit': rateLimit,
  } = checkFlags(settings, flags)
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
