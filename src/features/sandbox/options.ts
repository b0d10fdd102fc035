import type { Options } from '../../settings/option-values.ts'

const shareOfCalls = { kind: 'number', least: 0, most: 1, default: 0 } as const

export const sandboxOptions = {
  port: { kind: 'count', least: 0, most: 65_535, text: 'The port; 0 takes any free one', default: 8787 },
  token: { kind: 'text', text: 'The bearer token that it accepts', default: 'sandbox' },
  latency: { kind: 'number', least: 0, text: 'Milliseconds before each answer', default: 0 },
  rateLimit: { kind: 'number', text: 'Calls per second; above it, 429 with Retry-After' },
  fail: { ...shareOfCalls, text: 'Share of calls (0 to 1) that are answered with 500' },
  drop: { ...shareOfCalls, text: 'Share of calls whose record is made and whose connection is cut' },
  seed: { kind: 'count', least: 0, text: 'Makes `--fail` and `--drop` repeatable', default: 1 },
  data: { kind: 'path', text: 'A file that keeps the records when the sandbox ends' },
} as const satisfies Options
