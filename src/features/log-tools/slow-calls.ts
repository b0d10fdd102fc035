import { labelOfLine } from '../../result/log-stats/log-stats.ts'
import type { RowLabel } from '../../result/short-texts.ts'
import type { ResultLine } from '../../store/files/lines.ts'

export type SlowCall = RowLabel & Readonly<{ run: string; at: string; attempts: number; durationMs: number }>

const mostSlow = 10

/** Keeps the calls that took longest, the slowest first. */
export class SlowCalls {
  calls: readonly SlowCall[] = []

  take(line: ResultLine): void {
    const { run, at = '', attempts = 0, duration_ms: durationMs = 0 } = line
    if (durationMs <= (this.calls[mostSlow - 1]?.durationMs ?? 0)) return
    const calls = [...this.calls, { ...labelOfLine(line), run, at, attempts, durationMs }]
    this.calls = calls.sort((a, b) => b.durationMs - a.durationMs).slice(0, mostSlow)
  }
}
