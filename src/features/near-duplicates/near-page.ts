import { type Child, html, quoted, table } from '../../output/page/html.ts'
import { counted, rows } from '../../output/text.ts'
import type { Markup } from '../../result/facts.ts'
import { keyAdvice, likenessWords, type NearFacts } from './near-duplicates.ts'

/** The groups on the page of a dry run, each on a line; undefined if there are none. */
export function nearMarkup(facts: NearFacts): Markup | undefined {
  if (facts.groups === 0) return undefined
  const lineOf = (...texts: readonly string[]) =>
    html`<div>${texts.map((each, at) => html`${at > 0 && ' '}${quoted(each)}`)}</div>`
  const cells = facts.first.map(({ by, size, rows, names }): Child[] => [
    by.map(each => lineOf(likenessWords[each])),
    size,
    rows.map(({ source, line }, at) => lineOf(`${source}:${line}`, names[at] ?? '')),
  ])
  const columns = ['What they share', 'Rows', 'The first of them']
  return html`<p>The rows of a group may be one record: ${counted(facts.groups, 'group')}. ${keyAdvice(facts)}</p>
${table(`Near duplicates: ${rows(facts.rows)}`, columns, cells)}`
}
