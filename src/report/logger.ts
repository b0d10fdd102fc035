import { type Logger, pino } from 'pino'
import { prettyFactory } from 'pino-pretty'
import type { LogFormat, LogLevel } from './log-words.ts'

export type { Logger }

/** Where finished lines go. */
export type Print = (text: string) => void

/** A logger that prints each line through `print`, for people or as JSON. */
export function createLogger(level: LogLevel, format: LogFormat, colors: boolean, print: Print): Logger {
  const prettify = prettyFactory({ colorize: colors, ignore: 'pid,hostname,time' })
  const write = format === 'json' ? print : (line: string) => print(prettify(JSON.parse(line)))
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, { write })
}
