// `npm run test:postgres`: runs the tests of the ledger on each PostgreSQL of a list. Words: majors, such as 13, for some of them; a
// folder with `bin/postgres`, such as /usr/lib/postgresql/15, for a server that is there; --chaos for the faults of test/long too.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installInto } from './node-packages.js'
import { packageName } from './postgres.js'

/** The oldest that a ledger takes, that of Debian 12, and the newest; npm has previews only, which a range does not find. */
const versions = { 13: '13.23.0-beta.16', 15: '15.18.0-beta.17', 18: '18.4.0-beta.17' }

const root = fileURLToPath(new URL('..', import.meta.url))
const tests = [
  'test/unit/features/ledger',
  'test/unit/store/both-stores.test.ts',
  'test/process/postgres.test.ts',
  'test/long/machines.test.ts',
]
const say = text => process.stderr.write(`${text}\n`)

const words = process.argv.slice(2)
const asked = words.filter(word => word !== '--chaos')
const unknown = asked.find(word => !(word in versions) && !existsSync(join(word, 'bin', 'postgres')))
if (unknown !== undefined) {
  say(`${unknown} is none of ${Object.keys(versions).join(', ')}, and no folder with bin/postgres.`)
  process.exit(2)
}
const ends = (asked.length > 0 ? asked : Object.keys(versions)).map(word => testedOn(word))
say('')
for (const end of ends) say(end.text)
process.exitCode = ends.every(({ isGood }) => isGood) ? 0 : 1

function testedOn(word) {
  const programs = word in versions ? installed(word) : word
  if (programs === undefined) return { isGood: false, text: `PostgreSQL ${word}: could not be installed` }
  say(`\nPostgreSQL of ${programs}`)
  const files = words.includes('--chaos') ? [...tests, 'test/long/chaos.test.ts'] : tests
  const startedMs = performance.now()
  const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...files], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ROWLIFT_POSTGRES_PROGRAMS: programs },
  })
  const seconds = Math.round((performance.now() - startedMs) / 1_000)
  const end = status === 0 ? `passed in ${seconds} s` : 'failed'
  return { isGood: status === 0, text: `PostgreSQL ${word}: ${end}` }
}

/** The folder of a version's programs, which npm installs once; undefined where that failed. */
function installed(major) {
  const folder = join(root, 'build', 'postgres', major)
  const programs = join(folder, 'node_modules', packageName, 'native')
  if (existsSync(programs)) return programs
  say(`Installing PostgreSQL ${major} into build/postgres/${major}`)
  const failure = installInto(folder, `${packageName}@${versions[major]}`)
  if (failure === undefined) return programs
  say(failure)
  return undefined
}
