import type { Column } from './column.ts'
import { listSign } from './rules.ts'
import { flow, quote, word } from './yaml-words.ts'
import { wordsRule, yesNoWords } from './yes-no.ts'

/** Comment lines about the columns that stand nowhere in the mapping, each with an example. */
export function unmappedLines(all: readonly Column[]): string[] {
  const columns = all.filter(
    ({ name, hasObjects }) => !hasObjects || !all.some(other => other.name.startsWith(`${name}.`)),
  )
  if (columns.length === 0) return []
  return [
    '',
    '# Columns of this file that are not mapped, each with an example:',
    ...columns.map(column => `#   ${word(column.name)}: ${exampleOf(column)}${hintOf(column)}`),
  ]
}

const exampleOf = ({ example, hasObjects }: Column) =>
  hasObjects ? 'objects' : example === undefined ? 'empty in every row that was read' : quote(example.text)

/** What the values look like, and what reads them. */
function hintOf(column: Column): string {
  const hints: string[] = []
  if (column.repeats > 1) hints.push(`stands ${column.repeats} times in the header: a list`)
  const yesNo = yesNoWords(column)
  if (column.filled > 1 && yesNo !== undefined && !column.isList && column.values.size > 1)
    hints.push(`yes or no: ${flow(wordsRule(yesNo))}`)
  const { date } = column.fits
  if (date.count > 0 && date.count >= column.filled / 2) {
    const { formats, open } = column.dates.verdict()
    const read =
      open === undefined ? formats.slice(0, 3).join(' or ') : `${open.dayFirst[0]} or ${open.monthFirst[0]}?`
    hints.push(`dates: ${read}`)
  }
  const sign = listSign(column)
  if (sign === ';' || sign === ' ::: ' || sign === '|') hints.push(`split: ${flow(sign)}`)
  return hints.length === 0 ? '' : ` (${hints.join('; ')})`
}
