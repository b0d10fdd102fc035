import { type LevelWithSilent, type Logger, pino } from 'pino'
import { visible, visibleJson } from './text.ts'

type LogFormat = 'pretty' | 'json'

export type { Logger }

export type Print = (text: string) => void

/** A logger that prints each line through `print`, for people or as JSON. */
export async function createLogger(level: LevelWithSilent, format: LogFormat, colors: boolean, print: Print) {
  const show = format === 'json' ? print : await forPeople(colors, print)
  const write = (line: string) => show(visibleJson(line))
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, { write })
}

async function forPeople(colors: boolean, print: Print): Promise<Print> {
  const { prettyFactory } = await import('pino-pretty')
  const prettify = prettyFactory({
    colorize: colors,
    ignore: 'pid,hostname,time,estimated_seconds,fault,delay_ms',
  })
  const seen = (_: string, value: unknown) => (typeof value === 'string' ? visible(value) : value)
  return line => print(prettify(JSON.parse(line, seen)))
}

const maxLines = 100

/** Keeps the first lines back until they are flushed, and counts the rest. */
export class BufferedLines {
  #lines: string[] = []
  #more = 0

  readonly print: Print = text => {
    if (this.#lines.length < maxLines) this.#lines.push(text)
    else this.#more += 1
  }

  /** Prints the lines, and reports the number of others. */
  flush(print: Print, report: (text: string) => void): void {
    for (const line of this.#lines) print(line)
    if (this.#more > 0) report(`${this.#more} more warnings and errors came after these`)
    this.#lines = []
    this.#more = 0
  }
}
