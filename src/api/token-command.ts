import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Clock } from '../model/clock.ts'
import { reasonOf, UsageError } from '../model/errors.ts'
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
        await runOnce(signal).catch(error => ports.emit({ type: 'token_not_renewed', error }))
      return value !== refused
    },
  }
}

/** Quotes of both kinds keep blanks; nothing else is special, as in paths of Windows. */
const words = /(?:[^\s"']|"[^"]*"|'[^']*')+/g
const longestMs = 60_000
const longestText = 64_000

/** Its input is empty; it is ended with the signal. Rejects with a UsageError without its arguments, which may be secret. */
async function printedBy(command: string, { clock, emit }: Ports, signal: AbortSignal): Promise<string> {
  const [program = '', ...args] = (command.match(words) ?? []).map(word =>
    word.replaceAll(/"([^"]*)"|'([^']*)'/g, '$1$2'),
  )
  const printed = new Promise<string>((resolve, reject) => {
    const fail = (end: string | number) => reject(new UsageError('token_command_failed', { program, end }))
    if (program === '' || command.replaceAll(words, '').trim() !== '') return fail('EINVAL')
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true })
    const end = (reason: string) => {
      fail(reason)
      child.kill('SIGKILL')
      for (const stream of [child.stdout, child.stderr]) stream.destroy() // another process may have them open
    }
    const cancel = clock.after(longestMs, () => end('ETIMEDOUT'))
    signal.addEventListener('abort', () => end('SIGKILL'))
    let text = ''
    child.stdout.setEncoding('utf8').on('data', part => {
      if (text.length < longestText) text += part
    })
    createInterface(child.stderr).on('line', line => emit({ type: 'token_command_said', program, line }))
    child.once('error', error => fail(reasonOf(error)))
    child.once('close', (exitCode, endedBy) => {
      cancel()
      if (exitCode === 0) resolve(text)
      else fail(exitCode ?? endedBy ?? '')
    })
  })
  return checked(await printed, program)
}
