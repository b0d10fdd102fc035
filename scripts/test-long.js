// `npm run test:long`: the tests that take long, and all others with all cases and repetitions. Words go to vitest, such as files; with
// `--hours N` it runs nights on one ledger for so long instead, N being 0.05 or more, and prints how its tables grow.
import { spawnSync } from 'node:child_process'

const words = process.argv.slice(2)
const at = words.indexOf('--hours')
const hours = at < 0 ? undefined : Number(words[at + 1])
if (hours !== undefined && !(hours > 0)) {
  process.stderr.write('Say how many hours: npm run test:long -- --hours 1\n')
  process.exit(2)
}
const soak = ['--project', 'long', 'test/long/soak.test.ts', '--disableConsoleIntercept']
const all = words.length > 0 ? words : ['test/unit', 'test/long', 'test/process']
const { ROWLIFT_FAULT_KILLS: kills = '200', ROWLIFT_FAULT_ROWS: rows = '500' } = process.env
const settings =
  hours === undefined
    ? { ROWLIFT_LONG: 'yes', ROWLIFT_FAULT_KILLS: kills, ROWLIFT_FAULT_ROWS: rows }
    : { ROWLIFT_SOAK_HOURS: String(hours) }
const vitest = ['node_modules/vitest/vitest.mjs', 'run', ...(hours === undefined ? all : soak)]
const { status } = spawnSync(process.execPath, vitest, {
  stdio: 'inherit',
  env: { ...process.env, ...settings },
})
process.exitCode = status ?? 1
