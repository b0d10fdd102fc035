import { isReservedColumn, keyColumn, reasonColumn, textColumn } from '../model/reserved-columns.ts'
import type { Row } from '../model/row.ts'
import { membersOf } from '../model/values.ts'

/**
 * A rejected row of NDJSON as a line that the same mapping reads, with its line end: its members as they were written, so that no
 * number is rounded; of a line that could not be read its text.
 */
export function rejectedLine(row: Row, key: string, reason: string): string {
  const own = [member(keyColumn, key), member(reasonColumn, reason)]
  const members = row.text === undefined ? written(row) : [member(textColumn, row.text)]
  return `{${[...members, ...own].join(',')}}\n`
}

const member = (name: string, value: string) => `${JSON.stringify(name)}:${JSON.stringify(value)}`

const written = ({ asWritten = '{}' }: Row): string[] =>
  membersOf(asWritten).flatMap(([name, text]) => (isReservedColumn(name) ? [] : [text]))
