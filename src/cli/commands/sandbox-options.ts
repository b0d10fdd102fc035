import type { Options } from '../../app/options.ts'

/** The options of `rowlift sandbox` (DESIGN 6). */
export const sandboxOptions = {
  port: { type: 'number', default: 8787, describe: 'The port; 0 takes any that is free' },
  token: { type: 'string', default: 'sandbox', describe: 'The bearer token it wants' },
  latency: { type: 'number', default: 0, describe: 'Milliseconds before each answer' },
  'rate-limit': { type: 'number', describe: 'Calls per second; above it 429 with Retry-After' },
  fail: { type: 'number', default: 0, describe: 'Share of calls answered 500, from 0 to 1' },
  drop: {
    type: 'number',
    default: 0,
    describe: 'Share of calls whose record is made and whose connection is cut',
  },
  seed: { type: 'number', default: 1, describe: 'Makes --fail and --drop repeatable' },
  data: { type: 'string', isPath: true, describe: 'A file that keeps the records when the sandbox ends' },
} as const satisfies Options
