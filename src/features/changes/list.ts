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

const ofRow = ['key', 'record_id', 'source', 'row', 'line', 'status']

/** The columns of a list; a path with the name of another column begins with `body`. */
export function headerOf(paths: ReadonlySet<string>, compares: boolean): string[] {
  const own = [...ofRow, ...(compares ? ['column', 'was', 'is'] : []), 'note']
  return [...own, ...[...paths].map(path => (own.includes(path) ? `body.${path}` : path))]
}

/** The lines of a row: one for each of its changes, with all its fields. */
export function linesOf(
  { key, source, row, line, status, fields }: ChangedRow,
  recordId: string,
  changes: readonly (readonly string[])[],
  paths: ReadonlySet<string>,
): string[][] {
  const texts = new Map(fields)
  const values = [...paths].map(path => texts.get(path) ?? '')
  return changes.map(change => [key, recordId, source, `${row}`, `${line}`, status, ...change, ...values])
}

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
  const cells = rows
    .slice(0, mostOnPage)
    .map(row => [
      rowOf(labelOf(row)),
      html`<code>${records.get(row.key)}</code>`,
      row.status === 'changed'
        ? row.fields
            .slice(0, mostFields)
            .map(([path, text]) => html`<div><small>${path}</small> ${shown(text)}</div>`)
        : html`${row.status}: ${shown(row.note)}`,
    ])
  const first = total > mostOnPage && `The first ${mostOnPage} are here. `
  return html`<p>The service has no update call, so these records still have the old values: change them there by hand. ${first}--changes FILE lists all of them as CSV.</p>
${table('Changed rows', ['Row', 'Record', 'What would be sent now'], cells)}`
}
