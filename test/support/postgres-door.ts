import { randomBytes } from 'node:crypto'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import pg from 'pg'
import { startPostgres } from '../../scripts/postgres.js'

/** Where tests ask for databases. */
export interface Door {
  readonly port: number
  /** Drops what is left of them, and ends the server if there is one. */
  close(): Promise<void>
}

/**
 * Gives a database to each who connects, as a line with its URL, and drops it when the connection is no more: also where a test
 * failed, or its process was killed. The server is started with the first of them; ROWLIFT_TEST_POSTGRES names another one.
 */
export async function openDoor(): Promise<Door> {
  let server: Promise<{ url: string; close(): Promise<void> }> | undefined
  const given = new Set<Promise<unknown>>()
  const sockets = new Set<Socket>()
  const named = process.env.ROWLIFT_TEST_POSTGRES
  const listener = createServer({ allowHalfOpen: true }, socket => {
    sockets.add(socket)
    const left = new Promise(resolve => socket.once('end', resolve).once('close', resolve).resume())
    socket.on('error', () => {}) // its process was killed
    server ??= named ? Promise.resolve({ url: named, close: async () => {} }) : startPostgres()
    const use = server
      .then(({ url }) => lend(url, socket, left))
      .catch(error => socket.write(`${error}\n`))
      .finally(() => {
        socket.end()
        sockets.delete(socket)
        given.delete(use)
      })
    given.add(use)
  })
  await new Promise<void>(resolve => listener.listen(0, '127.0.0.1', resolve))
  return {
    port: (listener.address() as AddressInfo).port,
    async close() {
      listener.close()
      for (const socket of sockets) socket.destroy()
      await Promise.all(given)
      await (await server?.catch(() => undefined))?.close()
    },
  }
}

async function lend(serverUrl: string, socket: Socket, left: Promise<unknown>): Promise<void> {
  const name = `rowlift_test_${randomBytes(6).toString('hex')}`
  await ask(
    serverUrl,
    `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'`,
  )
  const url = new URL(serverUrl)
  url.pathname = name
  socket.write(`${url}\n`)
  await left
  await ask(serverUrl, `DROP DATABASE ${name} WITH (FORCE)`)
}

async function ask(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(sql).finally(() => client.end())
}
