// What `rowlift import --watch` prints of each saved mapping.
import { isContentKey } from '../../model/content-key.ts'
import type { RowChange } from '../../model/mapping-report.ts'
import type { Outcome } from '../../model/outcome.ts'
import { paintFor } from '../../output/paint.ts'
import { valueText } from '../../output/test-text.ts'
import { counted, grouped, rows, visible } from '../../output/text.ts'
import { shorten } from '../../result/short-texts.ts'

const mostChanges = 10
const longestChange = 120

/** What another mapping makes of the first rows, a field on a line. */
export function describeChanges(changes: readonly RowChange[], count: number, hasColors: boolean): string {
  const paint = paintFor(hasColors)
  const cut = (text: string) => visible(shorten(text, longestChange))
  const lines = changes.slice(0, mostChanges).flatMap(({ row: { source, line, key }, fields }) => {
    const row = `${cut(source)}:${line}${isContentKey(key) ? '' : ` (${cut(key)})`}: `
    return fields.slice(0, mostChanges).map(({ path, expected, received }) => {
      const text = (value: unknown) => cut(path === '' ? String(value) : valueText(value))
      const field = path === '' ? '' : `${cut(path)}  `
      return `${row}${field}${paint('red', text(expected))} -> ${paint('green', text(received))}\n`
    })
  })
  return `${lines.join('')}${grouped(changes.length)} of ${counted(count, 'body', 'bodies')} changed\n`
}

export function describeTried(outcomes: readonly Outcome[], mapping: string): string {
  const good = outcomes.filter(({ status }) => status === 'valid').length
  return `${grouped(good)} of the first ${rows(outcomes.length)} would be sent. Watching ${visible(mapping)}; Ctrl-C ends.\n`
}
