import { html, quoted, rowOf, table } from '../../output/page/html.ts'
import type { Markup } from '../../result/facts.ts'
import { labelOf, shorten } from '../../result/short-texts.ts'
import type { ChangedRow } from './list.ts'

export const mostOnPage = 100
const mostFields = 100
const longestText = 500

/** The first changed rows for a page, each with its record and what would be sent now. */
export function changesMarkup(
  rows: readonly ChangedRow[],
  records: ReadonlyMap<string, string>,
  total: number,
): Markup {
  const shown = (text: string) => quoted(shorten(text, longestText))
  const cells = rows.slice(0, mostOnPage).map(row => {
    const fields = row.fields.slice(0, mostFields)
    return [
      rowOf(labelOf(row)),
      html`<code>${records.get(row.key)}</code>`,
      row.status === 'changed'
        ? fields.map(([path, text]) => html`<div><small>${path}</small> ${shown(text)}</div>`)
        : html`${row.status}: ${shown(row.note)}`,
    ]
  })
  const first = total > mostOnPage && `The first ${mostOnPage} are here. `
  return html`<p>The service has no update call, so these records still have the old values: change them there by hand. ${first}--changes FILE lists all of them as CSV.</p>
${table('Changed rows', ['Row', 'Record', 'What would be sent now'], cells)}`
}
