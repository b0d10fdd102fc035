import { createHash } from 'node:crypto'
import { migrations } from '../../src/features/ledger/schema.ts'
import { withChecksum } from '../../src/store/files/checksum.ts'
import { openingLine, rowLine } from './log-files.ts'
import type { TestDatabase } from './postgres.ts'

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest().subarray(0, 16)

const text = (line: object) => withChecksum(JSON.stringify(line))

/** A row as the ledger has it: its line, and the state of its key by that. */
export interface FilledRow {
  readonly row: number
  readonly status: string
  readonly changes?: object
  /** Of a row in doubt: for so long its call may be held. */
  readonly heldS?: number
  /** The call is under way. */
  readonly isOpen?: boolean
}

export interface FilledRun {
  readonly run: string
  readonly rows: readonly FilledRow[]
  /** How many rows its source has. */
  readonly of?: number
  readonly isOver?: boolean
  readonly opening?: object
}

const states: Readonly<Record<string, string>> = { in_doubt: 'd', failed: 'r', invalid: 'r', duplicate: 'f' }

/** Makes the tables of a ledger as this version has them. */
export async function makeTables({ query }: TestDatabase): Promise<void> {
  await query('CREATE SCHEMA rowlift')
  await query('CREATE TABLE rowlift.version AS SELECT $1::int AS version', [migrations.length])
  for (const migration of migrations) await query(migration)
}

/** Fills the tables as workers would; returns the id of the import. */
export async function fillImport(
  { query }: TestDatabase,
  name: string,
  runs: readonly FilledRun[],
): Promise<number> {
  const [{ id }] = await query('INSERT INTO rowlift.import (name) VALUES ($1) RETURNING id', [name])
  for (const { run, rows, of = rows.length, isOver = false, opening } of runs) {
    const [{ id: runId }] = await query(
      `INSERT INTO rowlift.run (import, run, opening, sources, rows, ended, closing)
       VALUES ($1, $2, $3, $4, $5, CASE WHEN $6::text IS NOT NULL THEN clock_timestamp() END, $6) RETURNING id`,
      [
        id,
        run,
        text(openingLine(run, { use_created: false, ...opening })),
        JSON.stringify([{ name: 'contacts.csv', size: 1, sha256: 'a', rows: of }]),
        of,
        isOver ? text({ run, at: '2026-11-21T08:00:02.000Z', ended: { rows: of } }) : null,
      ],
    )
    await query(
      `INSERT INTO rowlift.chunk (run, no, source, at, first_row, first_line, rows, is_done) VALUES ($1, 0, 0, 0, 1, 2, $2, $3)`,
      [runId, of, isOver],
    )
    for (const { row, status, changes = {}, heldS, isOpen = false } of rows) {
      const line = rowLine(status, row, { run, ...changes }) as unknown as Record<string, string>
      const [{ seq }] = isOpen
        ? [{ seq: null }]
        : await query(
            'INSERT INTO rowlift.line (run, chunk, row, status, line) VALUES ($1, 0, $2, $3, $4) RETURNING seq',
            [runId, row, status, text(line)],
          )
      const named = digestOf(String(line.key))
      await query(
        `INSERT INTO rowlift.entry (import, name, state, run, chunk, epoch, source, row, line, intent, held_until)
         VALUES ($1, $2, $3, $4, 0, 1, 0, $5, $6, $7, clock_timestamp() + make_interval(secs => $8))
         ON CONFLICT (import, name) DO UPDATE SET state = excluded.state, run = excluded.run, line = excluded.line`,
        [
          ...[id, named, isOpen ? 'o' : (states[status] ?? 's'), runId, row, seq],
          ...[isOpen ? text(line) : null, heldS ?? (status === 'in_doubt' ? 0 : null)],
        ],
      )
      if (line.record_id !== undefined)
        await query(
          'INSERT INTO rowlift.record (import, id, name, source, row, run) VALUES ($1, $2, $3, 0, $4, $5)',
          [...[id, digestOf(line.record_id), named, row, runId]],
        )
    }
  }
  return id
}

export const recordId = (row: number): string =>
  `9d2f0000-0000-4000-8000-0000000000${String(row).padStart(2, 'a')}`

/** A row with its record. */
export const created = (row: number, changes: object = {}): FilledRow => ({
  row,
  status: 'created',
  changes: { record_type: 'contact', record_id: recordId(row), attempts: 1, duration_ms: 20, ...changes },
})

/** A row in doubt, with what was sent. */
export const doubt = (row: number, more: Partial<FilledRow> = {}): FilledRow => ({
  row,
  status: 'in_doubt',
  changes: {
    record_type: 'contact',
    errors: [{ code: 'run_killed', message: 'the run was killed' }],
    body: { name: `Name ${row}` },
  },
  ...more,
})
