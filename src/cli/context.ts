import type { Readable, Writable } from 'node:stream'
import type { WriteStream } from 'node:tty'
import { guardedText, visibleJson } from '../output/text.ts'
import { processInfo } from '../platform/process-info.ts'
import { onSignal } from '../platform/signals.ts'
import type { LockWait } from '../run/logs.ts'
import type { Ports } from '../run/ports.ts'

/** The process of a command: its streams, and what interrupts it. */
export type CliContext = Readonly<ReturnType<typeof processContext>>

/** The one way in which text for people leaves the process. */
export const printTo = (stream: Writable, text: string): void => void stream.write(guardedText(text))

export const portsOf = (context: CliContext): Ports => ({
  ...context,
  token: context.environment.ROWLIFT_TOKEN,
  isInteractive: context.stderrIsTerminal,
  onSignal: context.interrupts.onSignal,
  streams: { stdin: context.stdin, stdout: context.stdout, isTerminal: context.stdoutIsTerminal },
  onUnwritten: line => printTo(context.stderr, `${visibleJson(line)}\n`),
})

export const processContext = () => ({
  ...processInfo(process),
  stdin: process.stdin as Readable,
  stdout: process.stdout as Writable,
  stdoutIsTerminal: process.stdout.isTTY === true,
  /** A terminal that shows colours, and NO_COLOR is not set. */
  stdoutHasColors: hasColors(process.stdout),
  stderr: process.stderr as Writable,
  stderrIsTerminal: process.stderr.isTTY === true,
  stderrHasColors: hasColors(process.stderr),
  /** Each listener returns the function that removes it. */
  interrupts: {
    onSignal,
    onUncaught(listener: (error: unknown) => void) {
      process.on('uncaughtException', listener).on('unhandledRejection', listener)
      return () => void process.off('uncaughtException', listener).off('unhandledRejection', listener)
    },
    exit: (code: number): void => process.exit(code),
  },
})

/** Node knows NO_COLOR, TERM, COLORTERM and FORCE_COLOR. */
const hasColors = (stream: WriteStream): boolean => stream.isTTY === true && stream.hasColors()

export const lockWait = ({ lockTimeout }: { lockTimeout: number }, { stderr }: CliContext): LockWait => ({
  timeoutMs: lockTimeout * 1000,
  async onWait(holder) {
    const { news } = await import('../output/words/notices.ts') // every command has a context, and few wait
    printTo(stderr, `rowlift: ${news.lock_watched({ holder })}\n`)
  },
})
