import type { ProblemCode } from '../../model/problem.ts'
import type { Advised, ReasonGroup } from '../../result/reasons.ts'
import { commandLine } from '../text.ts'

type Trouble = Pick<ReasonGroup, 'status' | 'httpStatus' | 'code'>

const again = 'Then run the same command again: it sends only rows that have no record yet.'
const dryAgain = 'Then do the dry run again.'

/** Remedies for rows without a record, in words for the person who migrates. */
export function remedyOf(trouble: Trouble, advised: Advised): string {
  if (trouble.status === 'in_doubt') return ofDoubt(advised)
  if (trouble.status === 'failed') return `${ofFailure(trouble)} ${again}`
  return `${remedyOfInvalid(trouble.code)} ${advised.log === undefined ? dryAgain : again}`
}

function ofDoubt({ log, doubts }: Advised): string {
  const resolve = commandLine(['resolve', log ?? 'RESULTS'])
  return {
    found_again: `Run the same command again: the rows are sent once more, and the service returns the contact if it exists. Look in the service for what stays in doubt, and settle it by hand: ${resolve}`,
    sent_again: `The record may exist or not. The next run sends these rows again, which makes a second record if the first exists. So look in the service for each row first, and say what you found: ${resolve}`,
    held: `The record may exist or not. Look in the service for each row, then say what you found: ${resolve} lists the rows and says how. What was not created is sent by the next run.`,
  }[doubts]
}

function ofFailure({ httpStatus: status, code }: Trouble): string {
  if (code === 'settled_not_created') return 'Nothing is left to settle.'
  if (status === undefined)
    return 'No call reached the service, so no record was made. Check the network, the proxy and the address of the service (--base-url).'
  if (status === 400 || status === 422)
    return 'The service does not accept what was sent; its answer says why. Fix the cells of these rows, or the mapping.'
  if (status === 401)
    return 'The service refuses the token. Give a valid one in ROWLIFT_TOKEN, --token-file or --token-command.'
  if (status === 402)
    return 'The service asks for payment: the plan of the organization may be used up. Ask its administrator.'
  if (status === 403)
    return 'The token may not create these records. Ask the administrator of the service for the right, or leave out the fields that need it.'
  if (status === 404 || status === 410)
    return 'The service does not know an id in these rows, such as that of a parent, project or user, or the address (--base-url, --api-version, --organization-id).'
  if (status === 405 || (status >= 300 && status < 400))
    return 'This is not the address at which the service creates records. Check --base-url and --api-version.'
  if (status === 409)
    return 'This conflicts with something in the service, often a record with the same name or address. Look for it there: if it is the record that you want, remove the row from the source; otherwise change what is the same.'
  if (status === 413 || status === 414 || status === 431)
    return 'What was sent is too large. Shorten the longest texts of these rows, or leave that column out of the mapping.'
  if (status === 415)
    return 'The service does not accept the format that rowlift sends. Check --base-url and --api-version.'
  if (status === 408 || status === 429 || status === 503)
    return 'The service was too busy each time that the row was sent. Wait a while, then use a lower --concurrency or --rate, or more --retries.'
  if (status >= 500)
    return 'The service has a problem of its own. Wait until it is over, or send this answer to its administrator.'
  return 'The answer of the service says what it refuses. Fix the rows or the mapping.'
}

const rowOrMapping =
  'Fix the rows (--rejects FILE writes them to a file: fix it, and import it with the same mapping and log) or the mapping.'

const brokenRow =
  'The row itself is damaged, so nothing in it can be trusted. Fix its line in the source, or how the mapping reads the source (source:).'
const otherRowFirst =
  'Another row must be created first: the one named here. Fix or settle that one, and this row follows.'
const lookedUp =
  'What the cell names must exist exactly once. Fix the cell, or the table in which it is looked up; missing: omit in the mapping leaves the field out.'
const mappingOnly = 'Fix the mapping, not the rows: the record has no such field, or one of another type.'

const each = (codes: readonly ProblemCode[], remedy: string) =>
  Object.fromEntries(codes.map(code => [code, remedy]))

/** Remedies for invalid rows, by the code of their problem. */
const byCode: Readonly<Partial<Record<ProblemCode, string>>> = {
  ...each(['ragged', 'extra_cells', 'not_json', 'too_many_values', 'not_object'], brokenRow),
  ...each(['lookup_without_record', 'linked_row_not_created'], otherRowFirst),
  ...each(['linked_row_not_in_sources', 'row_above_invalid'], otherRowFirst),
  ...each(['lookup_not_found', 'lookup_incomplete', 'row_not_found', 'lookup_ambiguous'], lookedUp),
  ...each(['unknown_field', 'wrong_type'], mappingOnly),
  respelled:
    'Say what these rows are: --respelled same writes their new names into the log, --respelled new sends them.',
  respelled_in_doubt:
    'Look in the service for the other row, and settle it: rowlift resolve lists what is in doubt.',
  several_existing: 'Find out which record is theirs: remove spare ones, or name more fields by --match.',
  conflict:
    'Only the first row of a key is imported. Give the other one a key of its own, or take it out; expect: { conflicts: any } allows all.',
  circular_link:
    'These rows name each other in a circle, so none can be created first. Remove one of the links from the source.',
  required: 'Fill in the cells; or, if the field may be missing, remove required: or give it a default.',
  not_in_map:
    'Add the value to map: in the mapping, or fix the cells; otherwise: says what to do with all other values.',
  expression_failed: 'The expression does not fit these rows. Fix it in the mapping, or fix the cells.',
  empty_body:
    'The columns that the mapping uses are empty. Remove the rows from the source, or leave them out with a where condition.',
}

/** Remedy for an invalid row; a code of another version, or none, gets the general advice. */
const remedyOfInvalid = (code: string | undefined): string => byCode[code as ProblemCode] ?? rowOrMapping
