import type { RowError } from '../model/outcome.ts'
import { raggedMark } from '../model/reserved-columns.ts'
import { describeProblem } from './words.ts'

/** Why a row was rejected, in one line: each thing that is wrong, where, and what the service answered. */
export function rejectedReason(errors: readonly RowError[]): string {
  const reason = oneLine(errors.map(errorText).join('; '))
  return reason.startsWith(raggedMark.trimEnd()) ? `column ${reason}` : reason // it is no mark of a ragged row
}

/** The same of a row whose cells do not fit its header; those past it have no other place. */
export const raggedReason = (errors: readonly RowError[], surplus: readonly string[], delimiter: string) =>
  `${raggedMark}mend the cells, then empty this one; the row ${rejectedReason(errors)}${surplus.length === 0 ? '' : oneLine(`; past the header: ${surplus.join(delimiter)}`)}`

const errorText = (error: RowError): string => {
  const { column, path, body } = error
  const said = [column ?? path, describeProblem(error)].filter(Boolean).join(' ')
  return body ? `${said}: ${body}` : said
}

const oneLine = (text: string) => text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()
