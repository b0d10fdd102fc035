import { table } from './elements.ts'
import type { LogPart, RowLabel } from './facts.ts'
import { type Child, html, quoted } from './html.ts'
import type { Section } from './section.ts'
import { counted } from './words.ts'

/** Rows of which the service said that they are one contact. */
export function mergedSection({ merged: { count, pairs } }: LogPart): Section | undefined {
  if (count === 0) return undefined
  return {
    id: 'merged',
    title: 'Rows that the service took for one contact',
    body: html`<p>With use_created the service decides what is the same contact. It took each of these two rows for one: look whether it was right.</p>
${table(
  'Rows that the service took for one contact',
  [{ title: 'One row' }, { title: 'The other' }, { title: 'Their record' }],
  pairs.map(({ recordId, first, second }) => [label(first), label(second), html`<code>${recordId}</code>`]),
)}
${count > pairs.length && html`<p>And ${counted(count - pairs.length, 'more pair', 'more pairs')}; the result log has all of them.</p>`}`,
  }
}

const label = ({ source, line, row, key }: RowLabel): Child =>
  html`${quoted(key)}<br><small>${quoted(`${source}:${line}`)}, row ${String(row)}</small>`
