import { type ChildProcess, fork, type SpawnOptions, spawn } from 'node:child_process'

/** How a process ended, what it said, and how long it took from its start to its end. */
export interface Ended {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
  readonly durationMs: number
}

const alive = new Set<ChildProcess>()

/** Ends every process that was started here and still runs. */
export function endChildren(): void {
  for (const child of alive) child.kill('SIGKILL')
}

function owned<Child extends ChildProcess>(child: Child): Child {
  alive.add(child)
  return child.once('error', () => alive.delete(child)).once('exit', () => alive.delete(child)) as Child
}

/** Starts a module of ours that talks to this process. */
export const forkChild = (module: string): ChildProcess =>
  owned(fork(module, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] }))

/** Runs a command to its end. Throws where it cannot be started. */
export function runChild(
  command: string,
  args: readonly string[],
  options: Pick<SpawnOptions, 'cwd' | 'env'> = {},
): Promise<Ended> {
  const startedMs = performance.now()
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  owned(child)
  const texts = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', text => {
    texts.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', text => {
    texts.stderr += text
  })
  let durationMs = 0
  child.once('exit', () => {
    durationMs = performance.now() - startedMs
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', exitCode => resolve({ exitCode, ...texts, durationMs }))
  })
}

const linesQuoted = 3
const longestQuote = 400

/** Runs a command that has to succeed; throws what it said when it does not. */
export async function runToSuccess(...command: Parameters<typeof runChild>): Promise<Ended> {
  const ended = await runChild(...command)
  if (ended.exitCode === 0) return ended
  const said = ended.stderr.trim().split('\n').slice(-linesQuoted)
  const quote = said.map(line => line.slice(0, longestQuote)).join('\n')
  throw new Error(`${command[0]} ended with exit code ${ended.exitCode}:\n${quote}`)
}
