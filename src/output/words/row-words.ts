import { type Coded, startOf, type Words } from './sentence.ts'

const statusWords = (status: string) =>
  ({ failed: 'failed', held: 'is in doubt', in_doubt: 'is in doubt' })[status] ?? 'is {status}'

/** Reasons why a row is refused or a call has no record. Its value is shown next to the sentence, never in it. */
export const rowWords = {
  // the row itself
  ragged: `has {#cells} cells where the header has {#columns}
    → fix the line, or set source.ragged: pad if short rows are intended`,
  extra_cells: `has {#cells} cells where the header has {#columns}, and the extra cells are not empty
    → fix the line`,
  header_again: 'is the header once more → take it out',
  unfinished_line: `is the last line, has no line end, and the file may still be written
    → {$again} in some seconds; if the line is whole, end it with a line break`,
  still_ragged: 'had more or fewer cells than its header → fix the cells, then empty rowlift_reason',
  still_not_json: `is a line that was not a JSON object
    → write its fields next to rowlift_key, then remove rowlift_text`,
  not_json: 'is not JSON ({reason}) → each row must be one JSON object',
  not_object: 'is JSON, but not an object → each row must be one JSON object',
  not_serializable: (p: { field: string; what: string }) =>
    `${p.field === '' ? 'the row' : '{field}'} is {what}, which JSON cannot represent`,
  too_many_values: 'has more than {#most} values',
  nul_character: `has a NUL character in the column "{column}"
    → remove it; if there are many, look whether source.encoding is right`,
  too_deep: 'is nested more than {#levels} levels deep',

  // its key and its values
  already_replaced: `names a row that already has its record under another key
    → if this is a different row, empty rowlift_key`,
  not_refused_here: `names a row that this log never refused, and the log has another row with its key
    → import it with the log of its own import; if it belongs here, see that its key is its own, then empty rowlift_key`,
  conflict: (p: { source: string; row: number; differs: readonly string[] | undefined }) =>
    `has the key of {source} row {#row}, and ${p.differs === undefined ? 'reads differently' : 'differs in {...differs}'}
    → correct the key of one of them, or take one out`,
  respelled: (p: { was: string; source: string; row: number; day: string }) =>
    `may be {source} row {#row} of {day} under another name${p.was === '' ? '' : ', {was}'}
    → give {--respelled} same if it is that row, {--respelled} new if it is another`,
  respelled_in_doubt: (p: { was: string; source: string; row: number; day: string }) =>
    `may be {source} row {#row} of {day} under another name${p.was === '' ? '' : ', {was}'}, and that row is in doubt
    → settle that row first; or give {--respelled} new if this is another row`,
  key_moved: `has the contents that {source} row {#row} of {day} had, and its key {was} has others now
    → if rows were numbered anew, take a key that stays, by rowlift log --rekey; if this row is new, give {--respelled} new`,
  empty_body: `no column that the mapping uses has a value in this row
    → fill one in, or leave such rows out with a where condition`,
  required: 'is required and empty → fill it in, or give the field a default',
  not_text: 'is an object where text is needed → name a field of it (column.field), or use as: json',
  too_long: 'has more than {#characters} characters',
  too_many_items: 'is a list of more than {#most} items',
  replace_failed: (p: { pattern: string; reason: Coded }) => [
    'the pattern {pattern} fails: {@reason}',
    { pattern: startOf(p.pattern) },
  ],
  not_in_map: 'is not in the map ({...keys}) → add it there, or set otherwise: keep or omit',
  not_integer: 'is not a whole number',
  not_number: 'is not a number with "{decimal}" as its decimal separator',
  number_too_large: 'is too large to be kept exactly as a number → send it as text',
  not_boolean: 'is neither yes ({...yes}) nor no ({...no})',
  not_date: 'is not a date in the format {...formats| or }',
  nonexistent_time:
    'does not exist in {zone}, where the clock was put forward; it could be {before} or {after}',
  ambiguous_time: 'exists twice in {zone}, where the clock was put back; it could be {first} or {second}',
  not_duration: 'is not a duration such as 90, 1h 30m, 30 minutes or PT1H',
  unknown_day_length: 'counts days or weeks, which have no fixed length → set hours_per_day',
  not_email: 'is not an e-mail address',
  not_phone: 'is not a phone number',
  phone_without_country: 'is a phone number without a country → write it with + or set country',
  not_url: 'is not a web address',
  not_domain: 'is not a domain',
  not_uuid: 'is not a UUID',
  not_json_value: 'is not JSON',
  unknown_country: '"{country}" is not a country such as GB',
  unknown_zone: '"{zone}" is not a time zone such as Europe/Berlin',
  bad_date_format: '"{format}" cannot be used to read a date ({reason})',
  unknown_field: 'is not a field of the record → allow_unknown_fields: true sends it anyway',
  wrong_type: (p: { expected: string; got: string; hint: string | undefined }) =>
    p.hint === undefined ? 'must be {expected}, not {got}' : 'must be {expected}, not {got} → {hint}',

  // lookups and links between rows
  lookup_not_found: 'is not in {table} → add it there, or set missing: omit to leave the field out',
  lookup_without_record: `has no record in {table} yet: its row was refused or is in doubt
    → settle it there first`,
  lookup_bad_value: 'finds a value at {place}, column {column}, which {@problem} → correct it there',
  row_not_found: `matches no row: no row has this value in the column {column}
    → set missing: omit to leave the field out`,
  lookup_ambiguous: 'is ambiguous: {first} and {second} differ → make it unique',
  linked_row_not_created: (p: { row: string; status: string }) => `names {row}, which ${statusWords(p.status)}
    → this row is tried again in the next run`,
  linked_row_not_in_sources: (p: { line: string; status: string }) =>
    `names a row that ${statusWords(p.status)} ({line}) and is not in these sources
    → ${p.status === 'in_doubt' ? 'settle it with rowlift resolve' : 'add it to the sources again'}`,
  row_above_left_out: 'names the row above, which the where condition leaves out',
  row_above_invalid: 'the row above has no valid indent → fix that row first',
  bad_indent: 'has no valid indent: it must be a whole number',
  linked_row_gone: 'names a row that was there when the source was first read, and is missing now',
  circular_link: 'is part of a circle in which each row waits for the next: {...rows|, }',

  // expressions
  expression_failed: (p: { expression: string; reason: Coded | string }) => [
    'the expression {expression} fails: {@reason}',
    { expression: startOf(p.expression) },
  ],
  too_many_steps: 'it takes too many steps',
  result_too_large: 'its result is larger than a row may be',
  result_not_finite: 'its result is not a finite number, as after a division by zero',
  result_is_function: 'its result is a function, not a value',
  eval_not_available: '$eval is not available in mappings',
  lookup_not_declared: 'the mapping has no lookup "{name}"',

  // calls
  never_reached: 'the service was not reached ({reason})',
  proxy_refused: (p: { status: number }) =>
    `the service was not reached: the proxy answered {status}
    → ${p.status === 407 ? 'put user and password into HTTPS_PROXY' : ''}`,
  no_answer: 'the call was sent and no answer came ({reason})',
  incomplete_answer: 'the answer was cut off ({reason})',
  unreadable_answer: 'the answer cannot be read ({reason})',
  no_record_id: 'the answer has no record_id',
  record_id_taken: 'the answer has the record_id of {source} row {#row}: {recordId}',
  answer_of_other_row: 'the answer is about another record: its {field} is not what was sent',
  http_error: 'the service answered {#status}',
  response_rule: '{@problem}, which a rule of the settings file treats as {means}',
  run_killed: 'the run was killed while the call was under way',
  damaged_line: 'the line of this row in the result log was damaged',
  log_lost: 'may have its record: the result log lost lines before its repair',
  settled_not_created: 'was settled by hand: the service has no record of this row',
  still_in_doubt: 'an earlier attempt got no answer, and then: {@problem}',
} as const satisfies Words
