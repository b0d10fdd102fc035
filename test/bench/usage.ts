// Loaded before a program (`node --import`): writes at its end what the process took, as JSON, to the file that
// BENCH_USAGE names.
import { readFileSync, writeFileSync } from 'node:fs'

/** What a process took from its start to its end. */
export interface Usage {
  readonly peakBytes: number
  /** Of all its threads, in user and kernel mode. */
  readonly cpuMs: number
}

/**
 * Linux hands the peak of a parent on to the `maxRSS` of its children, but keeps one for each program besides, which is
 * all that counts here.
 */
function peakBytes(): number {
  try {
    const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
    if (kilobytes !== undefined) return Number(kilobytes) * 1024
  } catch {}
  return process.resourceUsage().maxRSS * 1024
}

const file = process.env.BENCH_USAGE
process.once('exit', () => {
  if (file === undefined) return
  const { user, system } = process.cpuUsage()
  writeFileSync(
    file,
    JSON.stringify({ peakBytes: peakBytes(), cpuMs: (user + system) / 1000 } satisfies Usage),
  )
})
