import type { ResultLine } from '../../journal/outcome.ts'
import type { RowError } from '../../model/row.ts'
import { isTooDeep } from '../../model/values.ts'

/** What a line of a result log tells of a row, each part checked: others may have written into the file. */
export interface ToldLine {
  readonly run: string
  readonly at: string
  readonly status: string | undefined
  readonly source: string
  readonly row: number
  readonly line: number
  readonly key: string
  readonly httpStatus: number | undefined
  readonly attempts: number
  readonly throttled: number
  readonly durationMs: number | undefined
  readonly errors: readonly RowError[]
  /** What was sent; of rows in doubt only. */
  readonly body: unknown
  readonly byHand: boolean
}

/** As many errors as are looked at: one row may have thousands. */
const mostErrors = 20

export function toldLine(line: ResultLine): ToldLine {
  const fields = line as unknown as Readonly<Record<string, unknown>>
  return {
    run: line.run,
    at: textOf(fields.at),
    status: typeof fields.status === 'string' ? fields.status : undefined,
    source: textOf(fields.source),
    row: countOf(fields.row) ?? 0,
    line: countOf(fields.line) ?? 0,
    key: line.key ?? '',
    httpStatus: countOf(fields.http_status),
    attempts: countOf(fields.attempts) ?? 0,
    throttled: countOf(fields.throttled) ?? 0,
    durationMs: countOf(fields.duration_ms),
    errors: Array.isArray(fields.errors) ? fields.errors.slice(0, mostErrors).flatMap(errorOf) : [],
    body: isTooDeep(fields.body) ? undefined : fields.body,
    byHand: fields.by_hand === true,
  }
}

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const countOf = (value: unknown) =>
  typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : undefined

function errorOf(error: unknown): RowError[] {
  if (typeof error !== 'object' || error === null) return []
  const { path, column, value, message, body } = error as Readonly<Record<string, unknown>>
  return [
    {
      ...(typeof path === 'string' && { path }),
      ...(typeof column === 'string' && { column }),
      ...(value !== undefined && { value }),
      message: textOf(message),
      ...(typeof body === 'string' && { body }),
    },
  ]
}
