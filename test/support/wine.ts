import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { atEnd } from './cleanup.ts'
import type { Ended, Running, RunOptions } from './running.ts'

/** Windows' Node, with which `npm run test:windows` lets wine run the command; undefined in all other tests. */
export const windowsNode = process.env.ROWLIFT_WINDOWS_NODE

const pollMs = 20

/** Starts Windows' Node under wine. There it cannot use pipes (EBADF), so it reads and writes files. SIGINT and SIGKILL reach it. */
export function startUnderWine(words: readonly string[], options: RunOptions): Running {
  const { cwd, stdin = '', env = {} } = options
  const folder = mkdtempSync(join(tmpdir(), 'rowlift-wine-'))
  const textOf = (stream: string) => readFileSync(join(folder, stream), 'utf8')
  writeFileSync(join(folder, 'stdin'), stdin)
  const files = [
    openSync(join(folder, 'stdin'), 'r'),
    ...['stdout', 'stderr'].map(name => openSync(join(folder, name), 'w')),
  ]
  const { PATH = '', HOME = '', WINEPREFIX = '' } = process.env
  const child = spawn('wine', [String(windowsNode), ...words], {
    cwd,
    stdio: files,
    env: {
      PATH,
      HOME,
      WINEPREFIX,
      LC_ALL: 'C.UTF-8', // by which wine reads words and names of files
      WINEDEBUG: '-all',
      NODE_SKIP_PLATFORM_CHECK: '1',
      ROWLIFT_TOKEN: 'a-secret-token',
      ...env,
    },
  })
  for (const file of files) closeSync(file)
  const exited = once(child, 'close')
  atEnd(async () => {
    child.kill('SIGKILL')
    await exited
    rmSync(folder, { recursive: true, force: true })
  })
  const ended = exited.then(
    ([exitCode]): Ended => ({ exitCode, stdout: textOf('stdout'), stderr: textOf('stderr') }),
  )
  const said = async (text: string) => {
    for (let isOver = false; !textOf('stderr').includes(text); await sleep(pollMs)) {
      if (isOver) throw new Error(`it ended without ${text}: ${textOf('stderr')}`)
      isOver = child.exitCode !== null || child.signalCode !== null
    }
  }
  return { process: child, ended, said }
}
