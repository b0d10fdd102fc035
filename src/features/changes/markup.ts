import { html, quoted, rowOf, table } from '../../output/page/html.ts'
import { grouped } from '../../output/text.ts'
import type { Markup } from '../../result/facts.ts'
import { labelOf, shorten } from '../../result/short-texts.ts'
import type { ChangedRow } from './changed-row.ts'

export const mostOnPage = 100
const mostFields = 100
const longestText = 500

/** A changed row with its record, if the log is at hand. */
export type ShownRow = ChangedRow & { readonly recordId: string }

/** The first changed rows for a page, with what would be sent now; undefined if there are none. */
export function changesMarkup(shown: readonly ShownRow[], total: number): Markup | undefined {
  if (shown.length === 0) return undefined
  const cells = shown.map(row => [
    rowOf(labelOf(row)),
    html`<code>${row.recordId}</code>`,
    row.status === 'changed'
      ? row.fields
          .slice(0, mostFields)
          .map(
            ([path, text]) => html`<div><small>${path}</small> ${quoted(shorten(text, longestText))}</div>`,
          )
      : html`${row.status}: ${quoted(shorten(row.note, longestText))}`,
  ])
  const first = total > shown.length && `The first ${grouped(shown.length)} are here. `
  return html`<p>The service has no update call, so these records still have the old values: change them there by hand. ${first}--changes FILE lists all of them as CSV.</p>
${table('Changed rows', ['Row', 'Record', 'What would be sent now'], cells)}`
}
