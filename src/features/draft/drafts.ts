import { dirname, relative, sep } from 'node:path'
import type { Readable } from 'node:stream'
import { isKnownCountry } from '../../mapping/transforms/phone.ts'
import { SourceError, UsageError } from '../../model/errors.ts'
import type { Row } from '../../model/row.ts'
import type { OptionValues } from '../../settings/option-values.ts'
import { type FileFacts, type RowFacts, surveyOf } from './columns/survey.ts'
import type { initOptions } from './options.ts'
import { presetFor } from './preset.ts'
import { knownNames, type SniffedHeader } from './sniff/header.ts'
import { sniff } from './sniff/sniff.ts'

/** A page that somebody waits for reads fewer rows than the command. */
export type InitOptions = OptionValues<typeof initOptions> & { readonly mostRows?: number }

/** Collects the facts for a draft; `keepsValues` is for links to other files. Throws a SourceError. */
export async function factsOf(
  source: string,
  { record, country, output = '.', worksheets, mostRows, ...reading }: InitOptions,
  stdin: Readable,
  keepsValues = false,
): Promise<FileFacts> {
  const home = country?.toUpperCase()
  if (home !== undefined && !isKnownCountry(home)) throw new UsageError('no_country', { country: home })
  const { signal } = new AbortController()
  const sniffed = await sniff(source, reading, { stdin, signal, onRead: () => {} }).catch(error => {
    const isOdd = error instanceof SourceError && error.problem.code === 'bad_bytes'
    throw isOdd ? new SourceError('bad_bytes', { ...error.problem.params, isSniffed: true }) : error
  })
  const { columns: header, headerLine, rows: read, close } = await sniffed.open()
  const survey = surveyOf(header, keepsValues, mostRows)
  const isAside = asideOf(sniffed.header)
  const aside: Row[] = []
  let isAll = true
  try {
    for await (const batch of read) {
      isAll = batch.every(row => (header && isAside(row) ? aside.push(row) < mostAside : survey.add(row)))
      if (!isAll) break
    }
  } finally {
    await close()
  }
  const rows = withAside(aside, survey.facts(isAll))
  const columns = survey.columns()
  const folder = worksheets && `${relative(dirname(output), worksheets).replaceAll(sep, '/') || '.'}/`
  for (const column of columns) column.worksheets = folder
  const names = columns.map(({ name }) => name)
  const preset = record === undefined ? presetFor(names, sniffed.settings.format) : undefined
  const facts = { columns, rows, headerLine }
  return { source: { ...sniffed, name: source }, ...facts, record, preset, country: home }
}

const mostAside = 1_000

/** Recognizes the lines of a header that are read as rows, and, behind an empty line, another table, by the known names of its header. */
function asideOf({ above = 0 }: Partial<SniffedHeader> = {}) {
  let [count, last, isBelow] = [0, Number.POSITIVE_INFINITY, false]
  return (row: Row): boolean => {
    const cells = [...row.cells()].map(([, value]) => String(value)).filter(cell => cell.trim() !== '')
    count += 1
    isBelow ||= row.line > last + 1 && cells.length > 2 && knownNames(cells) === cells.length
    if (cells.length > 0 && count > above) last = row.line
    return isBelow || count <= above
  }
}

const withAside = (aside: readonly Row[], rows: RowFacts): RowFacts => ({
  ...rows,
  rows: rows.rows + aside.length,
  kept: [...aside, ...rows.kept],
  noRows: [...aside, ...rows.noRows],
  odd: [...aside.map(({ line }) => line), ...rows.odd],
})
