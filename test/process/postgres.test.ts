import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { layCable, through } from '../support/cable.ts'
import { itLong } from '../support/long.ts'
import { pollOptions } from '../support/polling.ts'
import { clientOf, startPostgres, testDatabase } from '../support/postgres.ts'

// What tests of a ledger stand on.

describe('database of a test', () => {
  const databases = Promise.all([testDatabase(), testDatabase()])
  afterAll(async () => {
    for (const database of await databases) await database.close()
  })

  it('a database of a test is empty, its own, and takes what a ledger asks for', async () => {
    const [one, other] = await databases
    await one.query('CREATE TABLE t (a int)')
    expect(await other.query("SELECT FROM pg_tables WHERE tablename = 't'")).toEqual([])
    const names = ['fsync', 'synchronous_commit', 'server_encoding']
    const settings = await Promise.all(names.map(name => one.query('SELECT current_setting($1)', [name])))
    expect(settings.flat().map(row => row.current_setting)).toEqual(['on', 'on', 'UTF8'])
  })

  it('a database of a test is gone once it is closed, also if somebody is connected', async () => {
    const [one] = await databases
    const { url, query, close } = await testDatabase()
    const [{ name }] = await query('SELECT current_database() AS name')
    const another = clientOf(url)
    await another.query('SELECT 1')
    await close()
    expect(await one.query('SELECT FROM pg_database WHERE datname = $1', [name])).toEqual([])
    await another.close()
  })
})

describe('server of a test', () => {
  itLong(
    'a server of a test that is killed has everything it was told to keep when it starts again',
    async () => {
      const server = await startPostgres()
      const { query, close } = clientOf(server.url)
      await query('CREATE TABLE t (a int)')
      await query('INSERT INTO t VALUES (7)')
      await server.kill()
      const answer = () => query('SELECT 1').catch(() => 'none') // its children end a moment after it
      await expect.poll(answer, pollOptions).toBe('none')
      await server.start()
      expect(await query('SELECT a FROM t')).toEqual([{ a: 7 }])
      await close()
    },
  )

  itLong(
    'a server of a test ends, and leaves nothing behind, when the process that started it is killed',
    async () => {
      const module = fileURLToPath(new URL('../../scripts/postgres.js', import.meta.url))
      const script = `import(${JSON.stringify(module)}).then(async ({ startPostgres }) => console.log((await startPostgres()).url))`
      const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
      const [said] = await once(child.stdout.setEncoding('utf8'), 'data')
      const { query, close } = clientOf(String(said).trim())
      const [{ folder }] = await query("SELECT current_setting('data_directory') AS folder")
      expect(existsSync(folder)).toBe(true)
      child.kill('SIGKILL')
      await expect.poll(() => existsSync(folder), pollOptions).toBe(false)
      await expect(query('SELECT 1')).rejects.toThrow()
      await close()
    },
  )
})

describe('cable to a database', () => {
  it('a cable to a database can be cut, refuse, hang and be whole again', async () => {
    const database = await testDatabase()
    const cable = await layCable(Number(new URL(database.url).port || 5432))
    const { query, close } = clientOf(through(cable, database.url))
    const one = () => query('SELECT 1 AS one')
    const sent: string[] = []
    cable.onTraffic = ({ text, isAnswer }) => {
      if (!isAnswer) sent.push(text)
      return undefined
    }
    expect(await one()).toEqual([{ one: 1 }])
    expect(sent.join()).toContain('SELECT 1 AS one')

    cable.onTraffic = async ({ isAnswer }) => (isAnswer ? 'cut' : undefined)
    await expect(one()).rejects.toThrow()
    cable.onTraffic = undefined
    expect(await one()).toEqual([{ one: 1 }])

    const waiting = query('SELECT pg_sleep(60)')
    cable.cut()
    await expect(waiting).rejects.toThrow()
    expect(await one()).toEqual([{ one: 1 }])

    cable.set('refusing')
    await expect(one()).rejects.toThrow()
    cable.set('hanging')
    const hanging = one()
    expect(await Promise.race([hanging, new Promise(resolve => setTimeout(resolve, 50, 'nothing'))])).toBe(
      'nothing',
    )
    cable.set('whole')
    expect(await hanging).toEqual([{ one: 1 }])
    await close()
    await database.close()
  })
})
