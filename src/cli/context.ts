import type { WriteStream } from 'node:tty'
import { type Ports, processPorts } from '../app/ports.ts'

/** What a command needs. */
export interface CliContext extends Ports {
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

/** The context of the command. */
export const processContext = (): CliContext => ({
  ...processPorts(),
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
