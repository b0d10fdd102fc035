import { spawn, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { atEnd } from './cleanup.ts'

const main = fileURLToPath(new URL('../../dist/bin/rowlift.cjs', import.meta.url))

/** Whether this machine can lend a terminal. */
export const hasTerminal = spawnSync('script', ['--version']).status === 0

export interface Screen {
  readonly columns: number
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  /** Called each time there is more output. */
  readonly onText?: (terminal: Terminal) => void
}

/** A terminal while a command runs on it. */
interface Terminal {
  /** All that was written to it so far. */
  readonly text: string
  resize(columns: number): void
  /** Presses Ctrl-C. */
  interrupt(): void
}

/** Runs the built command on a pseudo terminal to its end; returns its output and the exit code. */
export async function onTerminal(
  args: readonly string[],
  { columns, cwd, env = {}, onText }: Screen,
): Promise<{ text: string; exitCode: number | null }> {
  const line = [process.execPath, main, ...args].map(word => `'${word}'`).join(' ')
  const child = spawn('script', ['-qec', `tty; stty cols ${columns} rows 24; exec ${line}`, '/dev/null'], {
    cwd,
    env: { PATH: process.env.PATH ?? '', TERM: 'xterm', ROWLIFT_TOKEN: 'a-secret-token', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  atEnd(() => child.kill('SIGKILL'))
  let said = ''
  const firstLine = () => said.split('\r\n', 1).join()
  const terminal: Terminal = {
    get text() {
      return said.slice(firstLine().length + 2)
    },
    resize: to => void spawnSync('stty', ['-F', firstLine(), 'cols', String(to)]),
    interrupt: () => void child.stdin.write('\u0003'),
  }
  child.stdout.setEncoding('utf8').on('data', part => {
    said += part
    onText?.(terminal)
  })
  const exitCode = await new Promise<number | null>(resolve => child.once('close', resolve))
  return { text: terminal.text, exitCode }
}

/** Runs a line of bash in which `rowlift` is the built command; the exit code is that of `rowlift` in a pipe. */
export async function inBash(
  line: string,
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<{ stdout: string; stderr: string; exitCode: number | null }> {
  const script = `rowlift() { '${process.execPath}' '${main}' "$@"; }\n${line}\n`
  const child = spawn('bash', ['-o', 'pipefail', '-c', script], {
    cwd,
    env: { PATH: process.env.PATH ?? '', ROWLIFT_TOKEN: 'a-secret-token', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  atEnd(() => child.kill('SIGKILL'))
  const said = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].setEncoding('utf8').on('data', part => {
      said[stream] += part
    })
  const exitCode = await new Promise<number | null>(resolve => child.once('close', resolve))
  return { ...said, exitCode }
}

const escapeSign = '\u001b'
/** What follows an escape and is obeyed. */
const command = /^\[(\??[\d;]*)([A-Za-z])/

/** Whether a text tells a terminal to do something. */
export const hasEscapes = (text: string): boolean => text.includes(escapeSign)

/** The bars that were drawn, one after the other. */
export const barsIn = (text: string): string[] =>
  text
    .split(escapeSign)
    .map(piece => piece.replace(command, ''))
    .flatMap(piece => piece.split(/[\r\n]+/))
    .filter(line => /\d%/.test(line))

/** The lines that a terminal of so many columns shows in the end, as far as a bar and log lines use what it can. */
export function shown(text: string, columns: number): string[] {
  const lines = ['']
  let [row, column] = [0, 0]
  const put = (sign: string) => {
    if (column === columns) [row, column] = [row + 1, 0]
    while (lines.length <= row) lines.push('')
    const line = (lines[row] ?? '').padEnd(column)
    lines[row] = line.slice(0, column) + sign + line.slice(column + 1)
    column += 1
  }
  for (let rest = text; rest !== ''; ) {
    const [found, number = '', letter] = (rest.startsWith(escapeSign) && command.exec(rest.slice(1))) || []
    const whole = found === undefined ? undefined : escapeSign + found
    const count = Number(number) || 1
    if (letter === 'A') row = Math.max(0, row - count)
    if (letter === 'B') row += count
    if (letter === 'G') column = count - 1
    if (letter === 'K') lines[row] = number === '2' ? '' : (lines[row] ?? '').slice(0, column)
    if (letter === 'J') lines.splice(row + 1, lines.length, ...[])
    if (letter === 'J') lines[row] = (lines[row] ?? '').slice(0, column)
    const [sign = ''] = rest
    if (whole === undefined && sign === '\r') column = 0
    else if (whole === undefined && sign === '\n') [row, column] = [row + 1, column]
    else if (whole === undefined) put(sign)
    rest = rest.slice(whole?.length ?? sign.length)
  }
  return lines.map(line => (line ?? '').trimEnd())
}
