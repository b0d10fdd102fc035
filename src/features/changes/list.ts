import { leavesOf } from '../../model/values.ts'
import { html, quoted, rowOf, table } from '../../output/page/html.ts'
import type { Markup } from '../../result/facts.ts'
import { labelOf, type RowLabel, shorten } from '../../result/short-texts.ts'

/** Texts by the paths of fields, or by columns. */
export type Texts = readonly (readonly [name: string, text: string])[]

/** A row that has its record and reads differently now. */
export interface ChangedRow extends RowLabel {
  readonly status: 'changed' | 'no longer valid'
  /** The reason why it is no longer valid. */
  readonly note: string
  /** The fields that would be sent now. */
  readonly fields: Texts
  readonly cells: Texts
}

/** The texts in a value by their paths, such as `emails.0.email`. */
export const textsIn = (value: unknown, path?: string): Texts =>
  leavesOf(value, path).map(leaf => [leaf.path, String(leaf.value ?? '')])

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
  const cells = rows.slice(0, mostOnPage).map(({ status, note, fields, ...row }) => {
    const sent = fields
      .slice(0, mostFields)
      .map(([path, text]) => html`<div><small>${path}</small> ${shown(text)}</div>`)
    const now = status === 'changed' ? sent : html`${status}: ${shown(note)}`
    return [rowOf(labelOf(row)), html`<code>${records.get(row.key)}</code>`, now]
  })
  const first = total > mostOnPage && `The first ${mostOnPage} are here. `
  return html`<p>The service has no update call, so these records still have the old values: change them there by hand. ${first}--changes FILE lists all of them as CSV.</p>
${table('Changed rows', ['Row', 'Record', 'What would be sent now'], cells)}`
}
