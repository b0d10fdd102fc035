import type { ExecFileException } from 'node:child_process'
import { promisify } from 'node:util'
import { type Clock, every } from '../model/clock.ts'
import { UsageError } from '../model/errors.ts'
import type { RunEvent } from '../model/events.ts'
import { keepSecret } from '../model/secrets.ts'
import { readUserFile } from '../model/user-file.ts'
import { startFailure } from '../platform/programs.ts'

/** The bearer token of a run (interface 5). */
export interface Token {
  readonly value: string
  /** Gets it, if a program prints it. Awaited before the first call. Throws a UsageError. */
  begin(signal: AbortSignal): Promise<unknown>
  /** Gets it again after it was refused; true when it is another one now. The signal ends that. */
  renew(refused: string, signal: AbortSignal): Promise<boolean>
}

const sendable = /^[\x21-\x7e]+$/

/** Throws a UsageError that names the file or program. */
function checked(text: string, file?: string): string {
  const token = text.trim()
  if (!sendable.test(token)) throw new UsageError(token === '' ? 'empty_token' : 'bad_token', { file })
  keepSecret(token)
  return token
}

export function fixedToken(text: string): Token {
  return { value: checked(text), begin: async () => {}, renew: async () => false }
}

/** A token kept in a file, which may be rotated while the job runs. Throws a UsageError when it cannot be read. */
export async function tokenFromFile(path: string): Promise<Token> {
  const read = async () => checked(`${await readUserFile('token file', path)}`, path)
  return renewable(read, await read())
}

/** A token that can be got again, once for all calls that were refused it. Without a value it is got when the run begins. */
function renewable(
  get: (signal: AbortSignal) => Promise<string>,
  value = '',
  onFailed: (error: unknown) => void = () => {},
): Token {
  let getting: Promise<void> | undefined
  const renewed = async (signal: AbortSignal) => {
    try {
      token.value = await get(signal)
    } finally {
      getting = undefined
    }
  }
  const getOnce = (signal: AbortSignal) => {
    getting ??= renewed(signal)
    return getting
  }
  const token = {
    value,
    async begin(signal: AbortSignal) {
      if (token.value === '' && !signal.aborted)
        await getOnce(signal).catch(error => signal.aborted || Promise.reject(error))
    },
    async renew(refused: string, signal: AbortSignal) {
      if (token.value === refused) await getOnce(signal).catch(error => signal.aborted || onFailed(error))
      return token.value !== refused
    },
  }
  return token
}

type CommandPorts = Readonly<{ clock: Clock; emit: (event: RunEvent) => void }>

/** A token that a program prints, which runs when an import begins, and again when the token is refused. */
export const tokenFromCommand = (command: string, ports: CommandPorts): Token =>
  renewable(
    signal => printedBy(command, ports, signal),
    '',
    error => ports.emit({ type: 'token_not_renewed', error }),
  )

/** A quote reaches to the next one, or to the end; nothing else is special, as in paths of Windows. */
const words = /(?:[^\s"']|"[^"]*"?|'[^']*'?)+/g
const longestMs = 60_000
/** What a program has printed is read long before. */
const restMs = 1_000

/** Its input is empty; it is killed with the signal. Throws a UsageError without its arguments, which may be secret. */
async function printedBy(command: string, { clock, emit }: CommandPorts, signal: AbortSignal) {
  const { execFile } = await import('node:child_process') // few runs need these
  const { createInterface } = await import('node:readline')
  signal.throwIfAborted()
  const [program = '', ...args] = (command.match(words) ?? []).map(word =>
    word.replaceAll(/"([^"]*)"?|'([^']*)'?/g, '$1$2'),
  )
  const lines: string[] = []
  const report = () => {
    for (const line of lines.splice(0)) emit({ type: 'token_command_said', program, line })
  }
  const cancelReports = every(clock, 1_000, report)
  let cancelClosing = () => {}
  try {
    const running = promisify(execFile)(program, args, { windowsHide: true })
    const { stdin, stdout, stderr } = running.child
    const closeOutput = () => {
      for (const stream of [stdout, stderr]) stream?.destroy() // another process may have them open
    }
    const kill = () => {
      running.child.kill('SIGKILL')
      closeOutput()
    }
    running.child.once('exit', () => {
      cancelClosing = clock.after(restMs, closeOutput)
    })
    signal.addEventListener('abort', kill)
    const cancel = clock.after(longestMs, kill)
    stdin?.end()
    if (stderr) createInterface(stderr).on('line', line => lines.push(line))
    const printed = await running.finally(cancel)
    return checked(printed.stdout, program)
  } catch (error) {
    if (error instanceof UsageError) throw error
    const { code, signal: end } = error as ExecFileException
    throw new UsageError('token_command_failed', { program, end: startFailure(code ?? end ?? '') })
  } finally {
    cancelReports()
    cancelClosing()
    report() // the last lines may show the token, which is masked by now
  }
}
