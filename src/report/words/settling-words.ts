import type { SettlingUsage } from '../../model/settling-usage.ts'
import { describeProblem } from './row-words.ts'
import { type Catalogue, list, suggested } from './sentence.ts'

/** Sentences about rows in doubt that cannot be settled, and about exports of the service. */
export const settlingWords: Catalogue<SettlingUsage> = {
  resolve_options: () =>
    'say which rows, and what became of them: --key KEY --record-id ID, --key KEY --not-created, or --all --not-created; without any of them the rows in doubt are listed. Or let an export of the service say it: RESULTS --from EXPORT --id COLUMN --match COLUMN=PATH (rowlift export writes the RESULTS of a ledger)',
  not_in_doubt: ({ log, key, state }) => {
    const what = `${log}: the row with the key "${key}" is not in doubt`
    if (state === 'settled') return [what, 'its record is known']
    if (state === 'open')
      return [what, 'its call is under way, or a worker that starts now finds it in doubt']
    if (state === undefined)
      return `${what}: the log has no such row; rowlift resolve without options lists the rows in doubt`
    return [what, 'it was not created, and the next import tries it again']
  },
  record_taken: ({ log, row: { source, row }, recordId }) => [
    `${log}: the record ${recordId} is that of ${source} row ${row}`,
    'check again which record belongs to this row',
  ],
  unknown_export_column: ({ path, column, header, suggestion }) => [
    `${path}: there is no column "${column}"${suggested(suggestion)}`,
    `the columns are ${list(header)}`,
  ],
  export_column_twice: ({ path, column }) => [
    `${path}: has the column "${column}" several times`,
    'give one of them another name',
  ],
  export_of_others: ({ path }) => [
    `${path}: has none of the records that the log has, so it is not complete`,
    'is it that of this service and organization, with all records?',
  ],
  import_moved: ({ log, path }) => [
    `${path}: is gone, or is not what the last run of ${log} read`,
    'put it back, or verify without --match',
  ],
  bad_export_row: ({ path, line, problem }, face) => [
    `${path}:${line}: ${describeProblem(problem, face)}`,
    'an export must be whole; export it again',
  ],
}
