import { type ExecFileException, execFile } from 'node:child_process'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import type { Clock } from '../model/clock.ts'
import { UsageError } from '../model/errors.ts'
import type { RunEvent } from '../model/events.ts'
import { checked, type Token } from './token.ts'

interface Ports {
  readonly clock: Clock
  readonly emit: (event: RunEvent) => void
}

/** A token that a program prints. It runs when an import begins, and again, once for all calls, when the token is refused. */
export function tokenFromCommand(command: string, ports: Ports): Token {
  let value = ''
  let running: Promise<void> | undefined
  const run = async (signal: AbortSignal) => {
    value = await printedBy(command, ports, signal)
  }
  const runOnce = (signal: AbortSignal) => {
    running ??= run(signal).finally(() => {
      running = undefined
    })
    return running
  }
  return {
    get value() {
      return value
    },
    async begin(signal) {
      if (value === '' && !signal.aborted)
        await runOnce(signal).catch(error => signal.aborted || Promise.reject(error))
    },
    async renew(refused, signal) {
      if (value === refused)
        await runOnce(signal).catch(
          error => signal.aborted || ports.emit({ type: 'token_not_renewed', error }),
        )
      return value !== refused
    },
  }
}

/** A quote reaches to the next one, or to the end; nothing else is special, as in paths of Windows. */
const words = /(?:[^\s"']|"[^"]*"?|'[^']*'?)+/g
const longestMs = 60_000

/** Its input is empty; it is killed with the signal. Throws a UsageError without its arguments, which may be secret. */
async function printedBy(command: string, { clock, emit }: Ports, signal: AbortSignal): Promise<string> {
  const [program = '', ...args] = (command.match(words) ?? []).map(word =>
    word.replaceAll(/"([^"]*)"?|'([^']*)'?/g, '$1$2'),
  )
  try {
    const running = promisify(execFile)(program, args, { windowsHide: true })
    const { stdin, stdout, stderr } = running.child
    const kill = () => {
      running.child.kill('SIGKILL')
      for (const stream of [stdout, stderr]) stream?.destroy() // another process may have them open
    }
    signal.addEventListener('abort', kill)
    const cancel = clock.after(longestMs, kill)
    stdin?.end()
    if (stderr)
      createInterface(stderr).on('line', line => emit({ type: 'token_command_said', program, line }))
    const printed = await running.finally(cancel)
    return checked(printed.stdout, program)
  } catch (error) {
    if (error instanceof UsageError) throw error
    const { code, signal: end } = error as ExecFileException
    throw new UsageError('token_command_failed', { program, end: code ?? end ?? '' })
  }
}
