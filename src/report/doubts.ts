import type { Doubt } from '../journal/lines.ts'
import { commandLine } from './command-line.ts'
import { grouped } from './numbers.ts'
import { describeCode } from './words.ts'

const rowsOf = (count: number) => (count === 1 ? '1 row is in doubt' : `${grouped(count)} rows are in doubt`)

/** Text without what a terminal would obey. */
const plain = (text: string) => text.replaceAll(/\p{Cc}/gu, ' ')

/** A row in doubt, for a person: where it stands, why, and what was sent. */
export function describeDoubt({ source, row, line, key, at, errors, body }: Doubt): string {
  const reasons = errors.map(({ code = '', message = describeCode(code), body: answer }) =>
    answer ? `${message}: ${answer}` : message,
  )
  return `${source}:${line} (row ${row})
  key    ${plain(key)}
  since  ${at}
  why    ${plain(reasons.join('; '))}
  sent   ${JSON.stringify(body, null, 2).replaceAll('\n', '\n         ')}

`
}

/** How many rows are in doubt, and how a person settles them. */
export function doubtsFound(results: string, count: number, abandoned: number): string {
  const resolve = (...words: string[]) => commandLine(['resolve', results, ...words])
  if (count === 0) return `No row is in doubt in ${results}.\n`
  const underWay =
    abandoned > 0
      ? ` ${grouped(abandoned)} of them were under way when a run was ended, or are still under way.`
      : ''
  return `${rowsOf(count)} in ${results}.${underWay} Look in the service for each, then say what you found:
  it is there:            ${resolve('--key', 'KEY', '--record-id', 'ID')}
  it is not:              ${resolve('--key', 'KEY', '--not-created')}
  none of them is there:  ${resolve('--all', '--not-created')}
What was not created is sent again by the next import.
`
}

/** What is left to settle. */
export const doubtsLeft = (results: string, settled: number, left: number): string =>
  `${results}: ${settled === 1 ? '1 row' : `${grouped(settled)} rows`} settled; ${left === 0 ? 'no row is in doubt any more' : `${rowsOf(left)} still`}.\n`
