// `npm run test:nodes`: runs the tests on the newest of each Node that the package is for. Words: majors, such as 22, for some of them;
// --others for all but this machine's own; --short for the tests that meet most of Node, on all side by side.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installInto, packageName } from './node-packages.js'

const majors = [20, 22, 24]
const short = [
  'test/unit/api/send.test.ts',
  'test/unit/cli/import.test.ts',
  'test/process/faults.test.ts',
  'test/process/package.test.ts',
  'test/long/package.test.ts',
  'test/unit/samples.test.ts',
]

const root = fileURLToPath(new URL('..', import.meta.url))
const say = text => process.stderr.write(`${text}\n`)

const { asked, files } = read(process.argv.slice(2))
/** Side by side they wait for their timers at the same time. */
const areBeside = files.length > 0 && asked.length > 1
const ends = []
if (areBeside) ends.push(...(await Promise.all(asked.map(testedOn))))
else for (const major of asked) ends.push(await testedOn(major))
say('')
for (const { name, failure, seconds } of ends)
  say(failure === undefined ? `Node ${name}: passed in ${seconds} s` : `Node ${name}: ${failure}`)
process.exitCode = ends.some(({ failure }) => failure !== undefined) ? 1 : 0

/** The majors and the test files that the words ask for. */
function read(words) {
  const named = words.filter(word => majors.includes(Number(word))).map(Number)
  const unknown = words.find(
    word => !majors.includes(Number(word)) && !['--short', '--others'].includes(word),
  )
  if (unknown !== undefined) {
    say(`${unknown} is none of ${majors.join(', ')}, --short and --others.`)
    process.exit(2)
  }
  const own = Number(process.versions.node.split('.')[0])
  const some = named.length > 0 ? named : majors
  return {
    asked: words.includes('--others') ? some.filter(major => major !== own) : some,
    files: words.includes('--short') ? short : [],
  }
}

/** Its folder comes first in PATH, for the tests start processes by the name of node too, and npm is such a one. */
async function testedOn(major) {
  const binary = installed(major)
  const version = binary && versionOf(binary)
  if (version === undefined) return { name: major, failure: 'could not be installed' }
  say(`\nNode ${version} …`)
  const startedMs = performance.now()
  // the tests need much that Windows has not; what a user does is tried there
  const onWindows = ['scripts/test-programs.js', 'built']
  const words = process.platform === 'win32' ? onWindows : ['node_modules/vitest/vitest.mjs', 'run', ...files]
  const child = spawn(binary, words, {
    cwd: root,
    stdio: areBeside ? ['ignore', 'pipe', 'pipe'] : 'inherit', // what several say at a time cannot be read
    env: {
      ROWLIFT_FAULT_KILLS: '30',
      ...process.env,
      PATH: `${dirname(binary)}${delimiter}${process.env.PATH ?? ''}`,
    },
  })
  const said = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', text => said.push(text))
  const status = await new Promise(resolve => child.on('close', resolve).on('error', resolve))
  process.stderr.write(Buffer.concat(said))
  const seconds = Math.round((performance.now() - startedMs) / 1_000)
  return { name: version, seconds, failure: status === 0 ? undefined : 'failed' }
}

/** The newest Node of a major, which npm has as a package for each platform, installed once; undefined where that failed. */
function installed(major) {
  const folder = join(root, 'build', 'nodes', String(major))
  const name = packageName()
  const binary = join(folder, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  if (existsSync(binary) && versionOf(binary) !== undefined) return binary
  say(`Installing Node ${major} into build/nodes/${major}`)
  const failure = installInto(folder, `${name}@${major}`)
  if (failure === undefined && existsSync(binary)) return binary
  say(failure ?? '')
  say(
    `Node ${major} comes from npm as the package ${name}, which this machine could not get or cannot run. Without a network, run`,
  )
  say('the tests on the Nodes that are in build/nodes already, by their numbers.')
  return undefined
}

/** Undefined where the binary does not run. */
function versionOf(binary) {
  const { status, stdout } = spawnSync(binary, ['--version'], { encoding: 'utf8' })
  return status === 0 ? stdout.trim().replace('v', '') : undefined
}
