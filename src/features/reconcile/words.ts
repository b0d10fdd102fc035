import type { Words } from '../../output/words/sentence.ts'

/** Returns why a row is not in doubt, by its state in a log or a ledger, and whether a person said so. */
const notInDoubt = (state: string | undefined, isByHand: boolean) => {
  const wayOn = '; if it was wrong to say so, add {--replace}'
  if (state === 'refused')
    return ` → it was not created, and the next import tries it again${isByHand ? wayOn : ''}`
  if (state === 'open') return ' → its call is under way, or a worker that starts now finds it in doubt'
  if (state === undefined)
    return ': the log has no such row; rowlift resolve without options lists the rows in doubt'
  if (isByHand) return ` → its record is known, because a person named it${wayOn}`
  const told = ' → its record is known: the service told it, so nobody replaces it'
  return state === 'told' ? told : `${told}; if it is gone: rowlift log {log} --forget`
}

/** Reasons why rows in doubt cannot be settled, or a log cannot be compared with an export of the service. */
export const reconcileWords = {
  rows: {
    several_existing: `matches several records of {export}, such as {...candidates}
      → take the spare ones out of the service and export again, or name more fields by {--match}; if none of them is this row, import it without {--existing}`,
    existing_without_id: `matches a row of {export} without the id of a record
      → export it with its id, or name more fields by {--match}`,
  },
  usage: {
    one_log_only:
      'name one result log: rowlift {command} RESULTS; or an import in a ledger: rowlift {command} {--ledger} URL {--import} NAME',
    resolve_options:
      'say which rows, and what became of them: --key KEY --record-id ID, --key KEY --not-created, or --all --not-created (with --replace for a row that a person settled wrongly); without any of them the rows in doubt are listed. Or let an export of the service say it: --from EXPORT --id COLUMN --match COLUMN=PATH',
    not_in_doubt: (p: { log: string; key: string; state: string | undefined; isByHand: boolean }) =>
      `{log}: the row with the key "{key}" is not in doubt${notInDoubt(p.state, p.isByHand)}`,
    record_taken: (p: { log: string; row: { source: string; row: number }; recordId: string }) => [
      `{log}: the record {recordId} is that of {place}
      → check again which record belongs to this row`,
      { place: `${p.row.source} row ${p.row.row}` },
    ],
    matching_options:
      'the options {--id}, {--match} and {--country} are about an export of the service → name it by {--existing}, or leave them out',
    unfilled_match: `{mapping}: its body has no field {path}, so no row is found by it
      → name a field of the body: {--match} COLUMN=PATH, such as emails.0.email`,
    no_export_ids: `{path}: its column "{column}" has no id of a record in any row
      → name the column with the ids by {--id}; if the service has no records yet, leave out {--existing}`,
    unknown_export_column: '{path}: there is no column "{column}"{?suggestion} → the columns are {...header}',
    export_column_twice: '{path}: has the column "{column}" several times → give one of them another name',
    empty_export_column: `{path}: its column "{column}" is empty in every row, so no record is found by it
      → export it with its values, or leave out its {--match}`,
    unlike_log: `{path}: does not show what was not created: of the {#records|record} that {log} knows it lacks {#missing}, and {#different} have other values than were sent; these, and {#others|other}:\n{...rows|\n}
      → export all of them, name those that were deleted on purpose ({--known-gone}), or settle by hand`,
    not_a_record_id: `{path}:{#line}: is not the id of a record
      → write one in each line, or a table with a column record_id`,
    nothing_compared: `{path}: no record that {log} knows could be compared with it, so it does not show what was not created
      → look in the service for the rows in doubt, and settle them by hand: {--key} KEY {--record-id} ID, or {--not-created}`,
    import_moved: `{path}: is gone, or is not what the last run of {log} read
      → put it back, or verify without --match, or settle by hand`,
    bad_export_row: '{path}:{#line}: {@problem} → an export must be whole; export it again',
  },
} as const satisfies Record<string, Words>
