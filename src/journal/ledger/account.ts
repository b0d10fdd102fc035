import type { Query } from './database.ts'

/** A run by what became of its rows: those with a line, and those of finished chunks without one. */
export interface Account {
  readonly rows: number
  /** Rows by status, as in the result log; and `done`, `held`, `left_out` and others that have no line. */
  readonly byStatus: Readonly<Record<string, number>>
  /** Of them, those without a line. */
  readonly unlogged: Readonly<Record<string, number>>
  /** Rows of all runs that are in doubt now. */
  readonly inDoubt: number
}

const mostMs = 600_000

export async function readAccount(
  query: Query,
  { importId, id, rows }: { readonly importId: number; readonly id: number; readonly rows: number },
): Promise<Account> {
  const lines = await query<{ status: string; count: number }>(
    `SELECT status, count(*) FROM (
       SELECT DISTINCT ON (chunk, row) status FROM rowlift.line WHERE run = $1 AND chunk IS NOT NULL ORDER BY chunk, row, seq DESC
     ) AS last GROUP BY status`,
    [id],
    mostMs, // of ten million lines
  )
  const without = await query<{ status: string; count: number }>(
    `SELECT key AS status, sum(value::bigint)::bigint AS count FROM rowlift.chunk, jsonb_each_text(unlogged)
      WHERE run = $1 GROUP BY key`,
    [id],
  )
  const [doubts] = await query<{ all: number; of_run: number }>(
    `SELECT count(*) AS all, count(*) FILTER (WHERE run = $2) AS of_run FROM rowlift.entry WHERE import = $1 AND state = 'd'`,
    [importId, id],
  )
  const unlogged = Object.fromEntries(without.map(({ status, count }) => [status, count]))
  const byStatus = { ...unlogged }
  for (const { status, count } of lines) byStatus[status] = (byStatus[status] ?? 0) + count
  // the line of a doubt that was settled since counts no more
  return {
    rows,
    byStatus: { ...byStatus, in_doubt: doubts?.of_run ?? 0 },
    unlogged,
    inDoubt: doubts?.all ?? 0,
  }
}
