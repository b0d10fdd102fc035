import { type LevelWithSilent, type Logger, pino } from 'pino'

export type LogFormat = 'pretty' | 'json'

export type { Logger }

export type Print = (text: string) => void

/** A logger that prints each line through `print`, for people or as JSON. */
export async function createLogger(
  level: LevelWithSilent,
  format: LogFormat,
  colors: boolean,
  print: Print,
): Promise<Logger> {
  const write = format === 'json' ? print : await forPeople(colors, print)
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, { write })
}

async function forPeople(colors: boolean, print: Print): Promise<Print> {
  const { prettyFactory } = await import('pino-pretty')
  const prettify = prettyFactory({
    colorize: colors,
    ignore: 'pid,hostname,time,estimated_seconds,fault,delay_ms',
  })
  return line => print(prettify(JSON.parse(line)))
}

const maxLines = 100

/** Keeps the first lines back until they are flushed, and counts the rest. */
export class BufferedLines {
  readonly #lines: string[] = []
  #more = 0

  readonly print: Print = text => {
    if (this.#lines.length < maxLines) this.#lines.push(text)
    else this.#more += 1
  }

  /** Prints the lines, and says how many more there were. */
  flush(print: Print, tellMore: (text: string) => void): void {
    for (const line of this.#lines.splice(0)) print(line)
    if (this.#more > 0) tellMore(`${this.#more} more warnings and errors came after these`)
    this.#more = 0
  }
}
