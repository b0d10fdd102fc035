import type { RowError } from '../../model/outcome.ts'
import type { Problem, RowProblems } from '../../model/problem.ts'
import { raggedMark } from '../../model/reserved-columns.ts'
import { likenessWords } from './near-words.ts'
import { type Catalogue, commandFace, type Face, list, sentenceOf } from './sentence.ts'

const longestStart = 60
const startOf = (expression: string) => {
  const line = expression.trim().replaceAll(/\s+/g, ' ')
  return line.length > longestStart ? `${line.slice(0, longestStart)}…` : line
}

const statusWords = (status: string) => {
  if (status === 'failed') return 'failed'
  return status === 'held' ? 'is in doubt' : `is ${status}`.replace('_', ' ')
}

const cellAt = ({ cell, column }: { cell: string; column: string }) =>
  column === '' ? `the cell ${cell}` : `the cell ${cell} (column "${column}")`

/** Sentences about a row; its value is shown next to the sentence, never in it. */
export const rowWords: Catalogue<RowProblems> = {
  ragged: ({ cells, columns }) => [
    `has ${cells} cells where the header has ${columns}`,
    'fix the line, or set source.ragged: pad if short rows are intended',
  ],
  extra_cells: ({ cells, columns }) => [
    `has ${cells} cells where the header has ${columns}, and the extra cells are not empty`,
    'fix the line',
  ],
  still_ragged: () => ['had more or fewer cells than its header', 'fix the cells, then empty rowlift_reason'],
  still_not_json: () => [
    'is a line that was not a JSON object',
    'write its fields next to rowlift_key, then remove rowlift_text',
  ],
  not_json: ({ reason }) => [`is not JSON (${reason})`, 'each row must be one JSON object'],
  not_object: () => ['is JSON, but not an object', 'each row must be one JSON object'],
  not_serializable: ({ field, what }) =>
    `${field === '' ? 'the row' : field} is ${what}, which JSON cannot represent`,
  too_many_values: ({ most }) => `has more than ${most} values`,
  card_not_ended: () => [
    'is a card without END:VCARD',
    'look whether the file is cut short; export it again',
  ],
  outside_of_cards: () => [
    'stands outside of any card',
    'each card begins with BEGIN:VCARD and ends with END:VCARD',
  ],
  not_a_property: ({ line }) => [
    `line ${line} of the file has no name and value with a colon between them`,
    'if it belongs to the line above, begin it with a blank',
  ],
  task_not_ended: () => [
    'is a task without END:VTODO, or with a part that has no end',
    'look whether the file is cut short; export it again',
  ],
  nul_character: ({ column }) => [
    `has a NUL character in the column "${column}"`,
    'remove it; if there are many, look whether source.encoding is right',
  ],
  error_cell: ({ error, cell, column }) => [
    `has the error ${error} in ${cellAt({ cell, column })}`,
    'correct the formula in the sheet, or empty the cell',
  ],
  formula_without_value: place => [
    `has a formula without a stored value in ${cellAt(place)}`,
    'open the file in a spreadsheet program and save it, then it has the values',
  ],
  shared_string_missing: place => [
    `has a text in ${cellAt(place)} that the workbook does not hold`,
    'open the file in a spreadsheet program, look at the cell, and save it',
  ],
  too_deep: ({ levels }) => `is nested more than ${levels} levels deep`,

  already_replaced: () => [
    'names a row that already has its record under another key',
    'if this is a different row, empty rowlift_key',
  ],
  near_duplicate: ({ source, row, line, shares }, { option }) => [
    `is a near duplicate of ${source}:${line} (row ${row}): it has ${likenessWords[shares] ?? shares}`,
    `leave one of them out, or import this row with ${option('near-duplicates')} off`,
  ],

  empty_body: () => [
    'no column that the mapping uses has a value in this row',
    'fill one in, or leave such rows out with a where condition',
  ],
  required: () => ['is required and empty', 'fill it in, or give the field a default'],
  not_text: () => ['is an object where text is needed', 'name a field of it (column.field), or use as: json'],
  too_long: ({ characters }) => `has more than ${characters} characters`,
  too_many_items: ({ most }) => `is a list of more than ${most} items`,
  replace_failed: ({ pattern, reason }, face) =>
    `the pattern ${startOf(pattern)} fails: ${describeProblem(reason, face)}`,
  not_in_map: ({ keys }) => [
    `is not in the map (${list(keys)})`,
    'add it there, or set otherwise: keep or omit',
  ],

  not_integer: () => 'is not a whole number',
  not_number: ({ decimal }) => `is not a number with "${decimal}" as its decimal separator`,
  number_too_large: () => ['is too large to be kept exactly as a number', 'send it as text'],
  not_boolean: ({ yes, no }) => `is neither yes (${list(yes)}) nor no (${list(no)})`,
  not_date: ({ formats }) => `is not a date in the format ${formats.join(' or ')}`,
  nonexistent_time: ({ zone, before, after }) =>
    `does not exist in ${zone}, where the clock was put forward; it could be ${before} or ${after}`,
  ambiguous_time: ({ zone, first, second }) =>
    `exists twice in ${zone}, where the clock was put back; it could be ${first} or ${second}`,
  not_duration: () => 'is not a duration such as 90, 1h 30m, 30 minutes or PT1H',
  unknown_day_length: () => ['counts days or weeks, which have no fixed length', 'set hours_per_day'],
  not_email: () => 'is not an e-mail address',
  not_phone: () => 'is not a phone number',
  phone_without_country: () => ['is a phone number without a country', 'write it with + or set country'],
  not_url: () => 'is not a web address',
  not_domain: () => 'is not a domain',
  not_uuid: () => 'is not a UUID',
  not_json_value: () => 'is not JSON',
  unknown_country: ({ country }) => `"${country}" is not a country such as GB`,
  unknown_zone: ({ zone }) => `"${zone}" is not a time zone such as Europe/Berlin`,
  bad_date_format: ({ format, reason }) => `"${format}" cannot be used to read a date (${reason})`,
  unknown_field: () => ['is not a field of the record', 'allow_unknown_fields: true sends it anyway'],
  wrong_type: ({ expected, got, hint }) => {
    const what = `must be ${expected}, not ${got}`
    return hint === undefined ? what : [what, hint]
  },

  lookup_not_found: ({ table }) => [
    `is not in ${table}`,
    'add it there, or set missing: omit to leave the field out',
  ],
  lookup_without_record: ({ table }) => [
    `has no record in ${table} yet: its row was refused or is in doubt`,
    'settle it there first',
  ],
  lookup_bad_value: ({ place, column, problem }, face) => [
    `finds a value at ${place}, column ${column}, which ${describeProblem(problem, face)}`,
    'correct it there',
  ],
  lookup_incomplete: ({ step }, { option }) => [
    `is not in the step ${step}, which stopped at ${option('limit')} before its last row`,
    'this row is tried again in the next run',
  ],
  row_not_found: ({ column }) => [
    `matches no row: no row has this value in the column ${column}`,
    'set missing: omit to leave the field out',
  ],
  lookup_ambiguous: ({ first, second }) => [`is ambiguous: ${first} and ${second} differ`, 'make it unique'],
  linked_row_not_created: ({ row, status }) => [
    `names ${row}, which ${statusWords(status)}`,
    'this row is tried again in the next run',
  ],
  linked_row_not_in_sources: ({ line, status }) => [
    `names a row that ${statusWords(status)} (${line}) and is not in these sources`,
    status === 'in_doubt' ? 'settle it with rowlift resolve' : 'add it to the sources again',
  ],
  row_above_left_out: () => 'names the row above, which the where condition leaves out',
  row_above_invalid: () => ['the row above has no valid indent', 'fix that row first'],
  bad_indent: () => 'has no valid indent: it must be a whole number',
  linked_row_gone: () => 'names a row that was there when the source was first read, and is missing now',
  circular_link: ({ rows }) => `is part of a circle in which each row waits for the next: ${rows.join(', ')}`,

  expression_failed: ({ expression, reason }, face) =>
    `the expression ${startOf(expression)} fails: ${typeof reason === 'string' ? reason : describeProblem(reason, face)}`,
  too_many_steps: () => 'it takes too many steps',
  result_too_large: () => 'its result is larger than a row may be',
  result_not_finite: () => 'its result is not a finite number, as after a division by zero',
  result_is_function: () => 'its result is a function, not a value',
  eval_not_available: () => '$eval is not available in mappings',
  lookup_not_declared: ({ name }) => `the mapping has no lookup "${name}"`,

  never_reached: ({ reason }) => `the service was not reached (${reason})`,
  proxy_refused: ({ status }) =>
    status === 407
      ? ['the service was not reached: the proxy answered 407', 'put user and password into HTTPS_PROXY']
      : `the service was not reached: the proxy answered ${status}`,
  no_answer: ({ reason }) => `the call was sent and no answer came (${reason})`,
  incomplete_answer: ({ reason }) => `the answer was cut off (${reason})`,
  no_record_id: () => 'the answer has no record_id',
  record_id_taken: ({ recordId, source, row }) =>
    `the answer has the record_id of ${source} row ${row}: ${recordId}`,
  answer_of_other_row: ({ field }) => `the answer is about another record: its ${field} is not what was sent`,
  http_error: ({ status }) => `the service answered ${status}`,
  response_rule: ({ problem, means }, face) =>
    `${describeProblem(problem, face)}, which a rule of the settings file treats as ${means}`,
  run_killed: () => 'the run was killed while the call was under way',
  damaged_line: () => 'the line of the result log that told of this row was damaged',
  settled_not_created: () => 'was settled by hand: the service has no record of this row',
  still_in_doubt: ({ problem }, face) =>
    `an earlier attempt got no answer, and then: ${describeProblem(problem, face)}`,
}

/** The sentence about a row's problem. */
export const describeProblem = (problem: Problem, face: Face = commandFace): string =>
  sentenceOf(rowWords, problem, face)

/** Why a row was rejected, in one line: each thing that is wrong, where, and what the service answered. */
export function rejectedReason(errors: readonly RowError[]): string {
  const reason = oneLine(errors.map(errorText).join('; '))
  return reason.startsWith(raggedMark.trimEnd()) ? `column ${reason}` : reason // or it would be read as a ragged row
}

/** The same of a row whose cells do not fit its header; cells past the header have no column of their own. */
export function raggedReason(errors: readonly RowError[], extraCells: readonly string[], delimiter: string) {
  const extra = extraCells.length === 0 ? '' : oneLine(`; extra cells: ${extraCells.join(delimiter)}`)
  return `${raggedMark}fix the cells, then empty this one; the row ${rejectedReason(errors)}${extra}`
}

const errorText = (error: RowError): string => {
  const { column, path, body } = error
  const text = [column ?? path, describeProblem(error)].filter(Boolean).join(' ')
  return body ? `${text}: ${body}` : text
}

const oneLine = (text: string) => text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()
