export type None = Readonly<Record<never, never>>

/** `report/words` makes the sentence from the parameters. */
export type OneOf<P> = {
  readonly [C in keyof P]: { readonly code: C; readonly params: Readonly<P[C]> }
}[keyof P]

/** Codes without parameters take none. */
export type ParamsOf<P, C extends keyof P> = P[C] extends None ? [] | [P[C]] : [params: P[C]]

/** Why a row is refused or a call has no record: the codes in `errors` of the result log. */
export interface RowProblems {
  // the row itself
  ragged: { cells: number; columns: number }
  extra_cells: { cells: number; columns: number }
  still_ragged: None
  still_not_json: None
  not_json: { reason: string }
  not_object: None
  not_serializable: { field: string; what: string }
  too_deep: { levels: number }
  nul_character: { column: string }
  too_many_values: { most: number }
  card_not_ended: None
  outside_of_cards: None
  not_a_property: { line: number }
  task_not_ended: None
  error_cell: CellPlace & { error: string }
  formula_without_value: CellPlace
  shared_string_missing: CellPlace
  // what names it
  already_replaced: None
  near_duplicate: { source: string; row: number; line: number; shares: string }
  // its values
  empty_body: None
  required: None
  not_text: None
  too_long: { characters: number }
  too_many_items: { most: number }
  replace_failed: { pattern: string; reason: Problem }
  not_in_map: { keys: readonly string[] }
  not_integer: None
  not_number: { decimal: string }
  number_too_large: None
  not_boolean: { yes: readonly string[]; no: readonly string[] }
  not_date: { formats: readonly string[] }
  nonexistent_time: { zone: string; before: string; after: string }
  ambiguous_time: { zone: string; first: string; second: string }
  not_duration: None
  unknown_day_length: None
  not_email: None
  not_phone: None
  phone_without_country: None
  not_url: None
  not_domain: None
  not_uuid: None
  not_json_value: None
  unknown_country: { country: string }
  unknown_zone: { zone: string }
  bad_date_format: { format: string; reason: string }
  unknown_field: None
  wrong_type: { expected: string; got: string; hint: string | undefined }
  // lookups and links between rows
  lookup_not_found: { table: string }
  lookup_without_record: { table: string }
  lookup_bad_value: { place: string; column: string; problem: Problem }
  lookup_incomplete: { step: string }
  row_not_found: { column: string }
  lookup_ambiguous: { first: string; second: string }
  linked_row_not_created: { row: string; status: string }
  linked_row_not_in_sources: { line: string; status: string }
  row_above_left_out: None
  row_above_invalid: None
  bad_indent: None
  linked_row_gone: None
  circular_link: { rows: readonly string[] }
  // expressions
  expression_failed: { expression: string; reason: Problem | string }
  too_many_steps: None
  result_too_large: None
  result_not_finite: None
  result_is_function: None
  eval_not_available: None
  lookup_not_declared: { name: string }
  // calls
  never_reached: { reason: string }
  proxy_refused: { status: number }
  no_answer: { reason: string }
  incomplete_answer: { reason: string }
  no_record_id: None
  record_id_taken: { recordId: string; source: string; row: number }
  answer_of_other_row: { field: string }
  http_error: { status: number }
  response_rule: { problem: Problem; means: string }
  run_killed: None
  damaged_line: None
  settled_not_created: None
  still_in_doubt: { problem: Problem }
}
/** The name of its column, if that has one, and its place in the sheet. */
export interface CellPlace {
  readonly column: string
  readonly cell: string
}

export type ProblemCode = keyof RowProblems

export type Problem = OneOf<RowProblems>

export function problem<C extends ProblemCode>(
  code: C,
  ...[params]: ParamsOf<RowProblems, C>
): { readonly code: C; readonly params: RowProblems[C] } {
  return new RowProblem(code, params ?? ({} as RowProblems[C]))
}

/** A class, so that no value of a row is ever taken for a problem. */
class RowProblem<C extends ProblemCode> {
  readonly code: C
  readonly params: RowProblems[C]
  constructor(code: C, params: RowProblems[C]) {
    this.code = code
    this.params = params
  }
}

export type Describe = (problem: Problem) => string

export const isProblem = (value: unknown): value is Problem => value instanceof RowProblem

/** Faults of a mapping, settings file or plan. */
export interface FileProblems {
  not_yaml: { reason: string }
  unknown_alias: { alias: string }
  bad_value: { name: string; reason: string }
  unknown_key: { key: string; suggestion: string | undefined }
  unknown_setting: { key: string; suggestion: string | undefined }
  not_settings: None
  bad_step_name: { name: string }
  stream_in_plan: { part: string }
  step_needs_itself: { name: string }
  same_results: { name: string; log: string }
  circular_steps: { steps: readonly string[] }
  unknown_body_field: {
    name: string
    suggestion: string | undefined
    of: 'record' | 'custom_field' | 'object'
  }
  bad_constant: { field: string; problem: Problem }
  unknown_column: { name: string; suggestion: string | undefined; source: string }
  missing_columns: { missing: readonly string[]; header: readonly string[]; source: string }
  no_known_column: { header: readonly string[]; source: string }
  column_names_differ: { name: string; called: readonly string[] }
  incomplete_key: { names: readonly string[]; source: string }
  key_columns_differ: { names: string; one: string; other: string }
  use_created_not_supported: { record: string }
  bad_expression: { reason: string }
  bad_pattern: { reason: string }
  endless_pattern: { pattern: string }
  unclosed_template: None
  empty_template: None
  conflicting_keys: { marks: readonly string[]; first: string }
  requires_other_key: { part: string; needs: string }
  no_duration_unit: { units: readonly string[] }
  unknown_lookup: { name: string; suggestion: string | undefined }
  step_without_plan: { step: string }
  unknown_step: { name: string; suggestion: string | undefined; known: readonly string[] }
  own_step: { name: string }
  bad_zone: { zone: string }
  bad_country: { country: string }
  bad_format: { format: string; reason: string }
  bad_locale: { tag: string }
}
export type FileProblem = OneOf<FileProblems>

export function fileProblem<C extends keyof FileProblems>(
  code: C,
  ...[params]: ParamsOf<FileProblems, C>
): FileProblem {
  return { code, params: params ?? {} } as FileProblem
}
