import { type Logger, pino } from 'pino'
import type { LogFormat, LogLevel } from './log-words.ts'

export type { Logger }

/** Where finished lines go. */
export type Print = (text: string) => void

/** A logger that prints each line through `print`, for people or as JSON. */
export async function createLogger(
  level: LogLevel,
  format: LogFormat,
  colors: boolean,
  print: Print,
): Promise<Logger> {
  const write = format === 'json' ? print : await forPeople(colors, print)
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, { write })
}

/** Only lines for people need what makes them pretty. */
async function forPeople(colors: boolean, print: Print): Promise<Print> {
  const { prettyFactory } = await import('pino-pretty')
  const prettify = prettyFactory({ colorize: colors, ignore: 'pid,hostname,time' })
  return line => print(prettify(JSON.parse(line)))
}
