// `npm run test:programs`: what `npm run programs` made, each alone in an empty folder: version, draft and dry run of a workbook, sandbox, an
// import that is killed and goes on, the page. Programs for arm64 run where qemu-user is, those for Windows where wine is, those for macOS
// only there. A word: a part of the names of those that are wanted, or `built` for the command of `npm run build` on this Node.
import { spawn, spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { winePrefix } from './wine.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const made = join(root, 'build/programs')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const rowCount = 400

const say = text => process.stdout.write(`${text}\n`)
if (process.argv[2] === 'built') {
  await tryProgram('the built command', {
    words: [process.execPath],
    env: {},
    file: join(root, 'dist/bin/rowlift.cjs'),
  })
  process.exit()
}
const names = readdirSync(made).filter(name => /^rowlift-[a-z]+-[a-z0-9]+(\.exe)?$/.test(name))
for (const name of names.filter(name => name.includes(process.argv[2] ?? ''))) {
  const runner = runnerOf(name)
  if (runner === undefined) say(`${name}: not tried, for this machine cannot run it`)
  else await tryProgram(name, runner)
}

/** What a program of another system is run by, with its words and environment; undefined if it is not here. */
function runnerOf(name) {
  const [, system, arch] = /^rowlift-(\w+)-(\w+)/.exec(name)
  const own = { linux: 'linux', macos: 'darwin', windows: 'win32' }[system]
  if (own === process.platform && arch === process.arch) return { words: [], env: {} }
  if (process.platform !== 'linux') return undefined
  if (name === 'rowlift-linux-arm64' && isHere('qemu-aarch64')) {
    const libraries = '/usr/aarch64-linux-gnu' // Debian's libc6-arm64-cross, libstdc++6-arm64-cross
    return { words: ['qemu-aarch64', ...(existsSync(libraries) ? ['-L', libraries] : [])], env: {} }
  }
  if (system !== 'windows' || !isHere('wine')) return undefined
  return { words: ['wine'], env: winePrefix(join(root, 'build/wine')), isWine: true }
}

function isHere(command) {
  return spawnSync(command, ['--version'], { stdio: 'ignore' }).error === undefined
}

async function tryProgram(name, { words, env, isWine = false, file }) {
  const cwd = mkdtempSync(join(tmpdir(), 'rowlift-program-'))
  const program = file ?? join(cwd, name.endsWith('.exe') ? 'rowlift.exe' : 'rowlift')
  if (file === undefined) copyFileSync(join(made, name), program)
  if (isWine) withoutPlaceholders(program)
  copyFileSync(join(root, 'samples/sheets/openpyxl.xlsx'), join(cwd, 'book.xlsx'))
  const rows = Array.from({ length: rowCount }, (_, at) => `Ada ${at},ada${at}@example.com`)
  writeFileSync(join(cwd, 'people.csv'), ['Name,Email', ...rows, ''].join('\n'))

  /** Starts a command, whose output goes into files, as wine wants it. */
  const start = (...args) => {
    const [out, err] = ['out', 'err'].map(end => join(cwd, `${args[0].replaceAll('-', '')}.${end}`))
    const [command, ...more] = [...words, program, ...args]
    const child = spawn(command, more, {
      cwd,
      env: { ...process.env, HOME: cwd, ROWLIFT_TOKEN: 'sandbox', ...env },
      stdio: ['ignore', openSync(out, 'w'), openSync(err, 'w')],
      detached: process.platform !== 'win32',
    })
    const ended = new Promise(resolve => child.once('exit', (code, signal) => resolve(code ?? signal)))
    return { child, ended, said: () => readFileSync(out, 'utf8') + readFileSync(err, 'utf8') }
  }
  const run = async (exitCode, text, ...args) => {
    const { ended, said } = start(...args)
    const code = await ended
    if (code !== exitCode || !said().includes(text))
      throw new Error(`${name}: rowlift ${args.join(' ')} ended with ${code}, and said:\n${said()}`)
  }

  await run(0, version, '--version')
  await run(0, 'passed, 1 file', 'test', 'preset:trello')
  await run(0, 'Next: ', 'init', 'book.xlsx', '-o', 'book.yaml')
  await run(0, '"dry_run":true', 'import', 'book.xlsx', '-m', 'book.yaml', '--dry-run')
  await run(0, 'Next: ', 'init', 'people.csv', '-o', 'people.yaml')

  const sandbox = start('sandbox', '--port', '0', '--latency', '20')
  try {
    const url = await until(() => /http:\/\/[\d.:]+/.exec(sandbox.said())?.[0])
    const records = async () => {
      const text = await fetch(`${url}/sandbox/records`).then(got => got.text())
      return (text.match(/.+/g) ?? []).map(line => JSON.parse(line).record.name)
    }
    const service = ['--base-url', url, '--organization-id', '1', '--use-created']
    const command = ['import', 'people.csv', '-m', 'people.yaml', ...service]
    const killed = start(...command)
    await until(async () => killed.child.exitCode !== null || (await records()).length >= 100)
    kill(killed.child)
    await killed.ended
    const before = (await records()).length
    if (before < 100) throw new Error(`${name}: the import ended early, and said:\n${killed.said()}`)
    await run(0, '"finished":true', ...command)
    const after = await records()
    if (before >= rowCount || after.length !== rowCount || new Set(after).size !== rowCount)
      throw new Error(`${name}: ${after.length} records of ${new Set(after).size} names, not ${rowCount}`)
    await run(0, '', 'report', 'people.results.ndjson', '-o', 'page.html')
    if (!readFileSync(join(cwd, 'page.html'), 'utf8').includes('<script type="module">'))
      throw new Error(`${name}: the page is not whole`)
    say(`${name}: passed; killed after ${before} of ${rowCount} records, and none is there twice or missing`)
  } finally {
    kill(sandbox.child)
    await sandbox.ended
  }
  rmSync(cwd, { recursive: true })
}

/** Kills a program and what runs it. */
function kill(child) {
  if (child.exitCode !== null) return
  if (process.platform === 'win32') child.kill('SIGKILL')
  else process.kill(-child.pid, 'SIGKILL')
}

async function until(isSo) {
  for (let tries = 0; tries < 600; tries += 1) {
    const found = await isSo()
    if (found) return found
    await delay(100)
  }
  throw new Error('waited for a minute in vain')
}

/** Wine 8 has this function without the placeholders that V8 wants of it. Where there is no such function V8 does without. */
function withoutPlaceholders(program) {
  const bytes = readFileSync(program)
  const at = bytes.indexOf('VirtualAlloc2\0')
  if (at < 0) throw new Error('the program does not name VirtualAlloc2')
  bytes.write('VirtualAllocX', at)
  writeFileSync(program, bytes)
}
