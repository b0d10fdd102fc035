import { type ExecFileException, execFile } from 'node:child_process'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { type Clock, every } from '../model/clock.ts'
import { UsageError } from '../model/errors.ts'
import type { RunEvent } from '../model/events.ts'
import { checked, renewable, type Token } from './token.ts'

interface Ports {
  readonly clock: Clock
  readonly emit: (event: RunEvent) => void
}

/** A token that a program prints, which runs when an import begins, and again when the token is refused. */
export const tokenFromCommand = (command: string, ports: Ports): Token =>
  renewable(
    signal => printedBy(command, ports, signal),
    '',
    error => ports.emit({ type: 'token_not_renewed', error }),
  )

/** A quote reaches to the next one, or to the end; nothing else is special, as in paths of Windows. */
const words = /(?:[^\s"']|"[^"]*"?|'[^']*'?)+/g
const longestMs = 60_000

/** Its input is empty; it is killed with the signal. Throws a UsageError without its arguments, which may be secret. */
async function printedBy(command: string, { clock, emit }: Ports, signal: AbortSignal): Promise<string> {
  const [program = '', ...args] = (command.match(words) ?? []).map(word =>
    word.replaceAll(/"([^"]*)"?|'([^']*)'?/g, '$1$2'),
  )
  const said: string[] = []
  const say = () => {
    for (const line of said.splice(0)) emit({ type: 'token_command_said', program, line })
  }
  const cancelSaying = every(clock, 1_000, say)
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
    if (stderr) createInterface(stderr).on('line', line => said.push(line))
    const printed = await running.finally(cancel)
    return checked(printed.stdout, program)
  } catch (error) {
    if (error instanceof UsageError) throw error
    const { code, signal: end } = error as ExecFileException
    throw new UsageError('token_command_failed', { program, end: code ?? end ?? '' })
  } finally {
    cancelSaying()
    say() // the last lines may show the token, which is masked by now
  }
}
