import type { Readable, Writable } from 'node:stream'
import type { WriteStream } from 'node:tty'
import { type Ports, type ProcessInfo, processInfo } from '../app/ports.ts'

/** What a command needs of the process that it runs in. */
export interface CliContext extends ProcessInfo {
  readonly stdin: Readable
  readonly stdout: Writable
  readonly stdoutIsTerminal: boolean
  /** It is a terminal that shows colours, and nobody switched them off. */
  readonly stdoutHasColors: boolean
  readonly stderr: Writable
  readonly stderrIsTerminal: boolean
  readonly stderrHasColors: boolean
  readonly interrupts: Interrupts
}

export type Signal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

/** How a command is interrupted while it runs. What returns a function returns the way to stop listening. */
export interface Interrupts {
  readonly onSignal: (listener: (signal: Signal) => void) => () => void
  /** Listens for errors that nobody caught. */
  readonly onUncaught: (listener: (error: unknown) => void) => () => void
  /** Ends the process at once. */
  readonly exit: (code: number) => void
}

/** What an import of the command uses. */
export const portsOf = ({
  stdin,
  stdout,
  stdoutIsTerminal,
  stderr,
  stderrIsTerminal,
  ...info
}: Omit<CliContext, 'interrupts'>): Ports => ({
  ...info,
  token: info.environment.ROWLIFT_TOKEN,
  isInteractive: stderrIsTerminal,
  streams: { stdin, stdout, isTerminal: stdoutIsTerminal },
  onUnwritten: line => void stderr.write(`${line}\n`),
})

/** The context of the command. */
export const processContext = (): CliContext => ({
  ...processInfo(process),
  stdin: process.stdin,
  stdout: process.stdout,
  stdoutIsTerminal: process.stdout.isTTY === true,
  stdoutHasColors: hasColors(process.stdout),
  stderr: process.stderr,
  stderrIsTerminal: process.stderr.isTTY === true,
  stderrHasColors: hasColors(process.stderr),
  interrupts: {
    onSignal(listener) {
      const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
      for (const signal of signals) process.on(signal, listener)
      return () => {
        for (const signal of signals) process.off(signal, listener)
      }
    },
    onUncaught(listener) {
      process.on('uncaughtException', listener).on('unhandledRejection', listener)
      return () => void process.off('uncaughtException', listener).off('unhandledRejection', listener)
    },
    exit: code => process.exit(code),
  },
})

/** A terminal that shows colours, unless NO_COLOR is set; Node also knows TERM, COLORTERM and FORCE_COLOR. */
const hasColors = (stream: WriteStream): boolean => stream.isTTY === true && stream.hasColors()
