import type { Mapped, Outcome } from '../../model/outcome.ts'
import type { Row, RowIdentity } from '../../model/row.ts'
import { type Leaf, leavesOf } from '../../model/values.ts'
import { cellOf, html, placeMarkup, quoted, table } from '../../output/page/html.ts'
import { counted, rows } from '../../output/text.ts'
import type { Markup } from '../../result/facts.ts'
import { labelOf, shorten, showValue } from '../../result/short-texts.ts'

export type Sample = ReturnType<typeof sampleOf>

const maxSamples = 10
const mostOpen = 3
const maxCells = 200
const maxFields = 100
const maxLength = 500

export type MapRow = (row: Row) => Mapped

/** Adds a row to the samples if it is among the first that a dry run would send. */
export function takeSample(samples: Sample[], outcome: Outcome, row: Row, map: MapRow): void {
  if (outcome.status === 'valid' && samples.length < maxSamples)
    samples.push(sampleOf(outcome.identity, JSON.stringify(outcome.body), row, map))
}

/**
 * A row with the fields of its body, and the cells that reach none. The cells of a field are those without which it is another one, or
 * missing; a field without cells is a constant of the mapping.
 */
function sampleOf(identity: RowIdentity, body: string, row: Row, map: MapRow) {
  const leaves = leavesOf(JSON.parse(body)).slice(0, maxFields)
  // Repeated columns are one.
  const columns = [...new Set([...row.cells()].map(([column]) => column))].slice(0, maxCells)
  const cells = columns.map(column => {
    const cell = { column: shorten(column, maxLength), value: showValue(row.value(column), maxLength) }
    return [cell, changed(map(without(row, column)))] as const
  })
  const cellsOf = (passes: (changes: (leaf: Leaf) => boolean) => boolean) =>
    cells.filter(([, changes]) => passes(changes)).map(([cell]) => cell)
  const fields = leaves.map(leaf => ({
    path: shorten(leaf.path, maxLength),
    value: showValue(leaf.value, maxLength),
    cells: cellsOf(changes => changes(leaf)),
  }))
  return { ...labelOf(identity), fields, unused: cellsOf(changes => !leaves.some(changes)) }
}

function without(row: Row, column: string): Row {
  const isIts = (name: string) => name === column || name.startsWith(`${column}.`)
  return {
    ...{ source: row.source, row: row.row, line: row.line },
    value: name => (isIts(name) ? undefined : row.value(name)),
    cells: () => [...row.cells()].filter(([name]) => name !== column),
  }
}

/** Returns whether a field has another value, or none, in what the mapping makes of a row with one cell less. */
function changed(mapped: Mapped): (leaf: Leaf) => boolean {
  if ('body' in mapped) {
    const still = new Set(leavesOf(mapped.body).map(nameOf))
    return leaf => !still.has(nameOf(leaf))
  }
  const lacking = 'errors' in mapped ? mapped.errors : mapped.waitsOn
  return leaf => lacking.some(({ path = '' }) => `${leaf.path}.`.startsWith(path === '' ? '' : `${path}.`))
}

/** Items of lists may move up. */
const nameOf = ({ path, value }: Leaf) => `${path.replaceAll(/\b\d+\b/g, '#')} ${JSON.stringify(value)}`

export function samplesMarkup(samples: readonly Sample[]): Markup | undefined {
  if (samples.length === 0) return undefined
  const more = samples.slice(mostOpen)
  return html`<p>The first ${samples.length === 1 ? 'row' : rows(samples.length)} that would be sent: the cells of the source, and the fields that the service would get.</p>
${samples.slice(0, mostOpen).map(sampleItem)}
${more.length > 0 && html`<details><summary>${counted(more.length, 'more row')}</summary>${more.map(sampleItem)}</details>`}`
}

function sampleItem(sample: Sample): Markup {
  const { row, key, fields, unused } = sample
  const namesOf = (cells: typeof unused) => cells.map(({ column }) => html`<div>${quoted(column)}</div>`)
  const textsOf = (cells: typeof unused) => cells.map(({ value }) => html`<div>${cellOf(value)}</div>`)
  const none = (text: string) => html`<span class="none">${text}</span>`
  return html`<article class="sample">
<p class="name">${quoted(key)} <small>${placeMarkup(sample)}, row ${String(row)}</small></p>
${table(
  `From ${sample.source}:${sample.line} to its record`,
  ['Column', 'Cell', 'Field', 'Value'],
  [
    ...fields.map(({ path, value, cells }) => [
      cells.length === 0 ? none('the mapping') : namesOf(cells),
      textsOf(cells),
      quoted(path),
      quoted(value),
    ]),
    ...unused.map(cell => [namesOf([cell]), textsOf([cell]), none('no field'), '']),
  ],
)}
</article>
`
}
