import type { SettledColumns } from '../../mapping/column-history.ts'
import type { LookupResult } from '../../mapping/lookups/lookup.ts'
import { problem } from '../../model/problem.ts'
import type { RowPlace } from '../../model/row.ts'
import { folded } from '../../model/values.ts'
import type { PreparedImport } from '../../run/prepared-import.ts'
import type { ResultLine } from '../../store/files/lines.ts'
import type { CallEntry } from './entries.ts'
import { digestOf, type Query } from './query.ts'
import { type JoinedRun, placeIn } from './run.ts'

/** A name by which other rows may refer to a row; texts are digests. */
export interface ReferenceRow extends Pick<CallEntry, 'name' | 'source' | 'row'> {
  readonly col: string
  readonly value: string
  readonly exact: string
}

/** Reads the names of all rows that `where` selects, as others may refer to them. */
export async function* referencesIn(
  { mapping, sources }: PreparedImport,
  naming: SettledColumns,
): AsyncGenerator<ReferenceRow[]> {
  const columns = mapping.refs.map(({ column }) => column)
  const identify = mapping.identifier('keys', naming)
  for (const [at, source] of sources.entries())
    for await (const rows of source.rows(() => {}))
      yield rows.flatMap(row => {
        const { key, ref = {} } = identify(row)
        if (row.fault === undefined && !mapping.selects(row)) return []
        const names = typeof ref === 'string' ? { [columns[0] ?? '']: ref } : ref // a text is the name in the only column
        const place = { source: at, row: row.row, name: digestOf(key) }
        return Object.entries(names).map(([col, text]) => ({ col, ...place, ...digestsOf(text) }))
      })
}

const digestsOf = (text: string) => ({ value: digestOf(folded(text)), exact: digestOf(text) })

export const insertReferences = (
  query: Query,
  { importId, run }: { readonly importId: number; readonly run: number },
  names: readonly ReferenceRow[],
): Promise<object[]> =>
  query(
    `INSERT INTO rowlift.reference (import, run, col, value, exact, name, source, row)
     SELECT DISTINCT ON (u.col, u.value, u.name) $1::int, $2::int, u.*
       FROM json_to_recordset($3) AS u(col text, value bytea, exact bytea, name bytea, source int, row int)
      ORDER BY u.col, u.value, u.name, u.row
     ON CONFLICT (import, col, value, name) DO UPDATE SET run = excluded.run, source = excluded.source, row = excluded.row
       WHERE reference.run <> excluded.run`,
    [importId, run, JSON.stringify(names)],
  )

/** The row that a name refers to, as far as it is known. */
export type Referred =
  | Exclude<LookupResult, { readonly type: 'waits' }>
  /** The row has not been looked at yet, or ends as in an earlier run. */
  | { readonly type: 'later'; readonly place: RowPlace; readonly before: string | undefined }

/** A row that has the name, and its entry if there is one. */
interface Candidate extends Pick<CallEntry, 'source' | 'row' | 'line'> {
  readonly value: string
  readonly exact: string
  readonly run: number
  readonly state: CallEntry['state'] | null
}

/** Finds rows by their names in a column: rows of the sources, and those of earlier runs that have a record. */
export async function findReferred(
  run: JoinedRun,
  col: string,
  texts: readonly string[],
): Promise<Map<string, Referred>> {
  const candidates = await run.database.query<Candidate>(
    `SELECT r.value, r.exact, r.run, r.source, r.row, e.state, l.line
       FROM rowlift.reference r LEFT JOIN rowlift.entry e ON e.import = r.import AND e.name = r.name
       LEFT JOIN rowlift.line l ON l.seq = e.line
      WHERE r.import = $1 AND r.col = $2 AND r.value = ANY($3)`,
    [run.importId, col, texts.map(text => digestsOf(text).value)],
  )
  const byValue = new Map<string, Candidate[]>()
  for (const each of candidates) byValue.set(each.value, [...(byValue.get(each.value) ?? []), each])
  return new Map(
    texts.map(text => {
      const { value, exact } = digestsOf(text)
      const alike = byValue.get(value) ?? []
      const same = alike.filter(each => each.exact === exact)
      return [text, referred(same.length > 0 ? same : alike, run, col)]
    }),
  )
}

function referred(candidates: readonly Candidate[], run: JoinedRun, column: string): Referred {
  const counting = candidates.filter(each => each.run === run.id || each.state === 's')
  const [first, second] = counting.length > 0 ? counting : candidates
  if (first === undefined) return { type: 'missing', problem: problem('row_not_found', { column }) }
  const textOf = (candidate: Candidate) => `${placeIn(run, candidate).source} row ${candidate.row}`
  if (second !== undefined)
    return {
      type: 'unusable',
      problem: problem('lookup_ambiguous', { first: textOf(first), second: textOf(second) }),
    }
  const line: Partial<ResultLine> = first.line === null ? {} : JSON.parse(first.line)
  if (first.state === 's') return { type: 'found', value: line.record_id ?? '' }
  const isSettled = first.state !== 'o' && line.run === run.opening.run
  if (first.run === run.id && !isSettled)
    return { type: 'later', place: placeIn(run, first), before: line.status }
  const params = { row: textOf(first), status: line.status ?? 'failed' }
  return { type: 'unusable', problem: problem('linked_row_not_created', params) }
}
