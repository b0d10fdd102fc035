import { isMap, isScalar, isSeq, type Pair, parseDocument, visit, type YAMLMap } from 'yaml'
import { dateReader } from '../transforms/date-formats.ts'
import type { Column } from './column.ts'
import { orderQuestion } from './date-rule.ts'
import { dateShape } from './date-shapes.ts'
import { type Flow, flow, quote } from './yaml-words.ts'

interface Edit {
  readonly from: number
  readonly to: number
  readonly text: string
}

/** A field that reads more than it did: no date is refused there any more, or nothing at all. */
interface Changed {
  readonly field: string
  readonly column: string
  readonly takesAll: boolean
}

/** The text of a preset whose dates are read in the forms that this file has, too; where the order is open, with the question. */
export function adaptedDates(text: string, columns: readonly Column[]): string {
  const document = parseDocument(text)
  const edits: Edit[] = []
  const changes: Changed[] = []
  visit(document, {
    Pair: (_, pair, path) => {
      const field = isScalar(pair.key) ? String(pair.key.value) : ''
      if (field === 'tests') return visit.SKIP
      const edit = ofRule(pair, text, columns)
      if (edit === undefined) return undefined
      edits.push(edit)
      const above = path.flatMap(node =>
        'key' in node && isScalar(node.key) ? [String(node.key.value)] : [],
      )
      changes.push({
        field: [...above.filter(name => name !== 'body'), field].join('.'),
        column: String((pair.value as YAMLMap).get('from')),
        takesAll: edit.text.endsWith('otherwise: omit }'),
      })
      return visit.SKIP
    },
  })
  if (edits.length === 0) return text
  return [...edits, ...testsOf(document.get('tests'), changes, text)]
    .sort((a, b) => b.from - a.from)
    .reduce((changed, { from, to, text }) => changed.slice(0, from) + text + changed.slice(to), text)
}

/** A date field on one line whose formats read none of some values of its column. */
function ofRule({ key, value }: Pair, text: string, columns: readonly Column[]): Edit | undefined {
  if (!isScalar(key) || !isMap(value) || !key.range || !value.range) return undefined
  const rule = value.toJSON() as Record<string, Flow>
  const column = columnOf(columns, String(rule.from))
  if (column === undefined || (rule.as !== 'date' && rule.as !== 'datetime')) return undefined
  const from = text.lastIndexOf('\n', key.range[0]) + 1
  const to = value.range[1]
  const own = [rule.format ?? 'iso'].flat().map(String)
  const readers = own.map(format => dateReader(format, String(rule.locale ?? 'en')))
  const unread = [...column.values.keys()].filter(
    word => dateShape(word) !== undefined && !readers.some(read => read(word) !== undefined),
  )
  if (unread.length === 0 || text.slice(from, to).includes('\n')) return undefined
  const { formats, open, locale } = column.dates.verdict()
  const indent = text.slice(from, key.range[0])
  const line = (more: readonly string[], rest: Record<string, Flow> = {}) => {
    const format = [...new Set([...own, ...more])]
    const said = format.length === 1 ? rule.format : format
    const value = { ...rule, ...(said !== undefined && { format: said }), ...(locale && { locale }), ...rest }
    return `${flow(String(key.value))}: ${flow(value)}`
  }
  if (open === undefined) {
    const why = `# Dates such as ${quote(unread[0] ?? '')} of this file are read as well.`
    return { from, to, text: `${indent}${why}\n${indent}${line(formats)}` }
  }
  const lines = [
    `# ${orderQuestion(open, column)} Until you choose a line, such dates are left out.`,
    `# ${line(open.dayFirst)}`,
    `# ${line(open.monthFirst)}`,
    line([], { otherwise: 'omit' }),
  ]
  return { from, to, text: lines.map(each => indent + each).join('\n') }
}

/** A preset finds a column in other letters, too. */
const columnOf = (columns: readonly Column[], wanted: string) =>
  columns.find(({ name }) => name === wanted) ??
  columns.find(({ name }) => name.toLowerCase() === wanted.toLowerCase())

/** The preset's tests that want such dates refused; they hold no more. */
function testsOf(tests: unknown, changes: readonly Changed[], text: string): Edit[] {
  if (!isSeq(tests)) return []
  return tests.items.flatMap(item => {
    if (!isMap(item) || !item.range) return []
    const { errors, row } = (item as YAMLMap).toJSON()
    const isOver = changes.some(
      ({ field, column, takesAll }) =>
        [errors].flat().includes(field) && (takesAll || dateShape(String(row?.[column] ?? '')) !== undefined),
    )
    if (!isOver) return []
    const from = text.lastIndexOf('\n', item.range[0]) + 1
    const remarks = /(?<=\n)(?: *#[^\n]*\n)+$/.exec(text.slice(0, from))?.[0].length ?? 0
    return [{ from: from - remarks, to: item.range[2], text: '' }]
  })
}
