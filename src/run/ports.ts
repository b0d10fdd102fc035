import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Token } from '../api/token.ts'
import { cannotWrite, LogError, reasonOf, type StopReasons } from '../model/errors.ts'
import type { RunEvent } from '../model/events.ts'
import type { Stop } from '../model/stop.ts'
import type { ProcessInfo } from '../platform/process-info.ts'

export interface Ports extends ProcessInfo {
  /** Undefined if a file holds the token. */
  readonly token: string | undefined
  /** The result log has a default name only if a person watches. */
  readonly isInteractive: boolean
  /** Undefined in a program that uses the library. */
  readonly streams:
    | { readonly stdin: Readable; readonly stdout: Writable; readonly isTerminal: boolean }
    | undefined
  /** Ends programs that were started; returns the way to stop listening. */
  readonly onSignal?: (listener: (signal: StopReasons['signal']['signal']) => void) => () => void
  /** Receives lines that the result log could not take. */
  readonly onUnwritten: (line: string) => void
}

/** The streams of the command; only it takes `-` for a path. */
export function streamsOf({ streams }: Ports) {
  if (streams === undefined) throw new Error('a program has no standard streams to read or write')
  return streams
}

/** Throws a LogError if this process may not open a file for each of so many calls, and 16 for itself. */
export function checkOpenFiles(calls: number): void {
  const count = calls + 16
  const files: number[] = []
  try {
    while (files.length < count) files.push(openSync(devNull, 'r'))
  } catch (error) {
    if (/^E[MN]FILE$/.test(reasonOf(error)))
      throw new LogError('too_few_open_files', { more: count - files.length })
  } finally {
    for (const file of files) closeSync(file)
  }
}

export interface ImportPorts extends Ports {
  readonly emit: (event: RunEvent) => void
  /** Tokens of commands, which the steps of a plan share. */
  readonly tokens?: Map<string, Token>
  /** Stops the import, also while it is prepared. */
  readonly stop?: Stop
}

/** Writes texts to standard output; ends quietly when the reader goes away. Throws a LogError. */
export async function writeTexts(texts: Iterable<string> | (() => AsyncIterable<string>), stdout: Writable) {
  await pipeline(texts, stdout, { end: false }).catch(error => {
    if (!isReaderGone(error)) throw cannotWrite('standard output', error)
  })
}

export const isReaderGone = (error: unknown): boolean =>
  /^(EPIPE|ERR_STREAM_(PREMATURE_CLOSE|DESTROYED))$/.test(`${(error as NodeJS.ErrnoException).code}`)
