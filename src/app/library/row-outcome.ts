import type { Effort, Outcome } from '../../model/row.ts'
import type { RowEffort, RowOutcome } from './outcome.ts'

/** An outcome as a program takes it. */
export function rowOutcome({ origin, end }: Outcome): RowOutcome {
  const { source, row, line, key, hash } = origin
  const name = { source, row, line, key, hash }
  switch (end.status) {
    case 'created':
    case 'existing':
      return { ...name, status: end.status, recordId: end.recordId, ...effortOf(end) }
    case 'duplicate':
      return { ...name, status: end.status, sameAs: { source: end.sameAs.source, row: end.sameAs.row } }
    case 'invalid':
      return { ...name, status: end.status, errors: end.errors }
    case 'failed':
      return { ...name, status: end.status, ...effortOf(end), errors: end.errors }
    case 'in_doubt':
      return { ...name, status: end.status, ...effortOf(end), errors: end.errors, body: end.body }
    case 'done':
      return { ...name, status: end.status, changed: end.changed }
    case 'held':
      return { ...name, status: end.status }
    case 'valid':
      return { ...name, status: end.status, body: end.body }
  }
}

const effortOf = ({ httpStatus, attempts, throttled, durationMs }: Effort): RowEffort => ({
  ...(httpStatus !== undefined && { httpStatus }),
  attempts,
  ...(throttled !== undefined && { throttled }),
  durationMs,
})
