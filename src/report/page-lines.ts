import { commandLine } from './command-line.ts'
import { grouped, spanOf } from './numbers.ts'
import type { PageFacts } from './page/facts.ts'

/** Where a page is. */
export const pageWritten = (path: string): string => `the page is ${path}`

/** Why there is none; what the run did is done all the same, and the logs tell of it. */
export function pageNotWritten(error: unknown, logs: readonly string[]): string {
  const why = error instanceof Error ? error.message : String(error)
  const later = logs.length === 0 ? '' : `. To make it later: ${commandLine(['report', ...logs])}`
  return `no page was written: ${why}${later}`
}

/** Where the page of a command is that does nothing else; `path` is undefined where it went to standard output. */
export function pageMade(path: string | undefined, { parts }: PageFacts, tookMs: number): string {
  const rows = parts.reduce((sum, part) => sum + (part.type === 'log' ? rowsIn(part.counts) : 0), 0)
  const read = `${grouped(rows)} ${rows === 1 ? 'row' : 'rows'}, ${spanOf(tookMs)}`
  const told = path === undefined ? '' : `\nPage: ${path}. It holds personal data; open it in a browser.`
  return `${read}${told}\n`
}

const rowsIn = (now: object) => Object.values(now).reduce<number>((sum, count) => sum + Number(count), 0)
