import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { LockOwner, ProcessIdentity } from '../../src/model/lock-owner.ts'
import { isDeadProcess, processIdentity } from '../../src/platform/process-info.ts'
import { atEnd, tempFolder } from '../support/cleanup.ts'
import { pollOptions } from '../support/polling.ts'
import { here, holderOf, idleProcess, tellsProcesses } from '../support/processes.ts'

/** What a process of pid 4711 looks like in a folder that replaces /proc. */
async function procWith(stat: string): Promise<string> {
  const proc = await tempFolder()
  await mkdir(join(proc, '4711'))
  await writeFile(join(proc, '4711', 'stat'), stat)
  return proc
}

const stat = (state: string, threads: number, started: number | string) =>
  `4711 (node) ${state} 1 4711 4711 0 -1 4194304 9 9 9 9 9 9 9 9 20 0 ${threads} 0 ${started} 9 9 9\n`

const other: LockOwner = {
  ...{ id: 'other', pid: 4711, host: 'night', since: '2026-11-21T02:00:00.000Z' },
  process: { boot: 'b', pid_namespace: 'pid:[1]', started: '500' },
}
const there = { host: 'night', process: { boot: 'b', pid_namespace: 'pid:[1]', started: '9' } }

describe.runIf(tellsProcesses)('process of this machine', () => {
  it('a process of this machine is alive while it runs or is stopped, and dead when killed', async () => {
    const { holder, stop, kill } = await idleProcess('x')
    expect(isDeadProcess(holder, here)).toBe(false)
    stop()
    expect(isDeadProcess(holder, here)).toBe(false)
    await kill()
    expect(isDeadProcess(holder, here)).toBe(true)
  })

  it('a process of this machine is alive that is our own', () => {
    expect(holderOf('x', process.pid).process).toEqual(here.process)
    expect(isDeadProcess(holderOf('x', process.pid), here)).toBe(false)
  })

  it('a process of this machine is dead whose pid is that of a later one', async () => {
    const { holder } = await idleProcess('x')
    const earlier = { ...(holder.process as ProcessIdentity), started: '1' }
    expect(isDeadProcess({ ...holder, process: earlier }, here)).toBe(true)
  })

  it('a process of this machine is known whatever it is called', async () => {
    const named = join(await tempFolder(), 'a) Z 0 (b) c')
    await symlink('/bin/sleep', named)
    const { holder, kill } = await idleProcess('x', named)
    expect(isDeadProcess(holder, here)).toBe(false)
    await kill()
    expect(isDeadProcess(holder, here)).toBe(true)
  })

  it('a process of this machine is dead while its parent does not ask for its end', async () => {
    const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'])
    atEnd(() => parent.kill('SIGKILL'))
    const [text] = await once(parent.stdout, 'data')
    const holder = holderOf('x', Number(text))
    expect(isDeadProcess(holder, here)).toBe(false)
    const program = () => readFile(`/proc/${parent.pid}/comm`, 'utf8')
    await expect.poll(program, pollOptions).toBe('sleep\n') // a shell would still ask
    process.kill(holder.pid, 'SIGKILL')
    await expect.poll(() => isDeadProcess(holder, here), pollOptions).toBe(true)
    expect(() => process.kill(holder.pid, 0)).not.toThrow()
  })

  it('a process of this machine may be alive when it is hidden from us', async () => {
    const { holder } = await idleProcess('x')
    expect(isDeadProcess(holder, here, await tempFolder())).toBe(false)
  })
})

describe('process', () => {
  it.each([
    ['another boot', { boot: 'c' }],
    ['another container', { pid_namespace: 'pid:[2]' }],
    ['an unknown beginning', { started: undefined }],
  ])('a process of %s may be alive', async (_, changes) => {
    const proc = await procWith(stat('Z', 1, 7))
    expect(isDeadProcess(other, there, proc)).toBe(true)
    const changed = { ...other, process: { ...other.process, ...changes } as ProcessIdentity }
    expect(isDeadProcess(changed, there, proc)).toBe(false)
  })

  it('a process of another host may be alive, and one that says nothing of itself, or nonsense', async () => {
    const proc = await procWith(stat('Z', 1, 7))
    expect(isDeadProcess(other, { ...there, host: 'day' }, proc)).toBe(false)
    expect(isDeadProcess(other, { host: 'night' }, proc)).toBe(false)
    for (const process of [undefined, null, 'x', 5, []])
      expect(isDeadProcess({ ...other, process } as unknown as LockOwner, there, proc)).toBe(false)
    for (const pid of [undefined, 0, -1, -99_999_999, 1.5, '4711', Number.NaN])
      expect(isDeadProcess({ ...other, pid } as unknown as LockOwner, there, proc)).toBe(false)
  })

  it.each([
    ['runs', stat('R', 11, 500), false],
    ['has ended', stat('Z', 1, 500), true],
    ['is going away', stat('X', 0, 500), true],
    ['has ended but for its threads', stat('Z', 3, 500), false],
    ['began later', stat('R', 11, 501), true],
  ])('a process that %s', async (_, text, isDead) => {
    expect(isDeadProcess(other, there, await procWith(text))).toBe(isDead)
  })

  it('a process of which nothing can be read is alive while its pid is there', async () => {
    const { pid } = process
    for (const text of ['', 'nonsense', ...['x', '5x', 'x5'].map(started => stat('Z', 1, started))]) {
      const proc = await procWith(text)
      await symlink('4711', join(proc, String(pid)))
      expect(isDeadProcess({ ...other, pid }, there, proc)).toBe(false)
    }
  })

  it('a process knows itself only if the system tells all of it, and of its own container', async () => {
    const proc = await procWith(stat('R', 1, 500))
    expect(processIdentity(4711, proc)).toBeUndefined()
    await symlink('4711', join(proc, 'self'))
    await mkdir(join(proc, '4711', 'ns'))
    await symlink('pid:[1]', join(proc, '4711', 'ns', 'pid'))
    expect(processIdentity(4711, proc)).toBeUndefined()
    await mkdir(join(proc, 'sys/kernel/random'), { recursive: true })
    await writeFile(join(proc, 'sys/kernel/random/boot_id'), 'b\n')
    expect(processIdentity(4711, proc)).toEqual({ boot: 'b', pid_namespace: 'pid:[1]', started: '500' })
    expect(processIdentity(1, proc)).toBeUndefined()
    expect(processIdentity(4711, proc, 'win32')).toBeUndefined()
    await rm(join(proc, 'self'))
    expect(processIdentity(4711, proc)).toBeUndefined()
  })
})
