import { readdirSync, readFileSync } from 'node:fs'
import pg from 'pg'
import { startPostgres } from '../../scripts/postgres.js'

/** What PostgreSQL did since it was started. */
interface DatabaseWork {
  /** Of all its processes; undefined where the system does not tell. */
  readonly cpuMs: number | undefined
  readonly commits: number
}

/** A PostgreSQL for ledgers, with its data on the disk. */
export interface LedgerServer {
  readonly url: string
  work(): Promise<DatabaseWork>
  bytes(): Promise<number>
  end(): Promise<void>
}

export async function startLedgerServer(): Promise<LedgerServer> {
  const server = await startPostgres({ onDisk: true })
  const client = new pg.Client(server.url)
  await client.connect()
  const numberOf = async (sql: string) => Number((await client.query(sql)).rows[0]?.n)
  const backend = await numberOf('SELECT pg_backend_pid() AS n')
  return {
    url: server.url,
    async work() {
      await client.query('SELECT pg_stat_force_next_flush()')
      const commits = await numberOf(
        'SELECT xact_commit AS n FROM pg_stat_database WHERE datname = current_database()',
      )
      return { commits, cpuMs: cpuOfFamily(backend) }
    },
    bytes: () => numberOf('SELECT pg_database_size(current_database()) AS n'),
    async end() {
      await client.end()
      await server.close()
    },
  }
}

/** A clock tick of Linux, in which it counts CPU time. */
const tickMs = 10

/** The CPU time of a process's parent, of all that are its children, and of those that have ended. */
function cpuOfFamily(child: number): number | undefined {
  try {
    const parent = statOf(child).parent
    const family = readdirSync('/proc').filter(name => /^\d+$/.test(name) && isOf(Number(name), parent))
    const ticks = family.map(
      name => statOf(Number(name)).ticks + (Number(name) === parent ? statOf(parent).ticksOfEnded : 0),
    )
    return ticks.reduce((sum, each) => sum + each, 0) * tickMs
  } catch {
    return undefined
  }
}

function isOf(pid: number, parent: number): boolean {
  try {
    return pid === parent || statOf(pid).parent === parent
  } catch {
    return false // it has ended meanwhile
  }
}

function statOf(pid: number) {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [parent = 0, user = 0, system = 0, endedUser = 0, endedSystem = 0] = [1, 11, 12, 13, 14].map(at =>
    Number(fields[at]),
  )
  return { parent, ticks: user + system, ticksOfEnded: endedUser + endedSystem }
}
