import { NearDuplicates } from '../engine/near-duplicates.ts'
import type { Header } from '../mapping/columns.ts'
import { keyText } from '../mapping/identity.ts'
import type { Mapping } from '../mapping/mapping.ts'
import { nearKeysOf } from '../mapping/near-keys.ts'
import { isRepeated } from '../model/content-key.ts'
import type { Mapped } from '../model/outcome.ts'
import { problem } from '../model/problem.ts'
import type { Row, RowIdentity } from '../model/row.ts'
import { present } from '../model/values.ts'
import type { ImportSettings } from './settings.ts'

/** Compares the bodies of all rows of an import; undefined where near duplicates are not looked for. */
export function compareRows(settings: ImportSettings, mapping: Mapping, headers: readonly Header[]) {
  const mode = settings.nearDuplicates ?? (settings.dryRun && !settings.ledger ? 'report' : 'off')
  if (mode === 'off') return undefined
  const feeds = (column: string, field: string) => mapping.fieldsOf(column).some(of => of.startsWith(field))
  const columns = ['emails', 'phones'].flatMap(
    field => headers.flat().find(column => column && feeds(column, field)) ?? [],
  )
  const rows = new NearDuplicates(columns)
  /** Rows that wait for others are compared as they come, so that every run compares in the same order. */
  const waiting = new WeakMap<Row, ReturnType<typeof rows.add>>()
  return {
    facts: () => rows.facts(),
    /** Why a row is not sent. Where rows are only told, one that equals another in all cells is told as such. */
    compare(row: Row, { key }: RowIdentity, mapped: Mapped = mapping.map(row, true)) {
      const body = 'waitsOn' in mapped ? mapped.partial : 'body' in mapped && mapped.body
      if (!body || (mode === 'report' && isRepeated(key))) return undefined
      const cells = columns.map(column => keyText(present(mapping.cellOf(row, column))))
      const near = waiting.has(row)
        ? waiting.get(row)
        : rows.add(row, keyText(body.name), nearKeysOf(body), cells)
      if ('waitsOn' in mapped) waiting.set(row, near)
      return near && mode === 'hold'
        ? { path: '', ...problem('near_duplicate', rows.describe(near)) }
        : undefined
    },
  }
}
