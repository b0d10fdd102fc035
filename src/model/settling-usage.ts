import type { None, Problem } from './problem.ts'
import type { RowPlace } from './row.ts'

/** Why rows in doubt cannot be settled, or a log cannot be compared with an export of the service. */
export interface SettlingUsage {
  resolve_options: None
  not_in_doubt: { log: string; key: string; state: string | undefined }
  record_taken: { log: string; row: RowPlace; recordId: string }
  unknown_export_column: {
    path: string
    column: string
    header: readonly string[]
    suggestion: string | undefined
  }
  export_column_twice: { path: string; column: string }
  /** An export that is said to be complete has no record of the log. */
  export_of_others: { path: string }
  import_moved: { log: string; path: string }
  bad_export_row: { path: string; line: number; problem: Problem }
}
