export type None = Readonly<Record<never, never>>

/** `report/words` makes the sentence from the parameters. */
export type OneOf<P> = { readonly [C in keyof P]: { readonly code: C; readonly params: P[C] } }[keyof P]

/** Codes without parameters take none. */
export type ParamsOf<P, C extends keyof P> = P[C] extends None ? [] | [P[C]] : [params: P[C]]

/** Why a row is refused or a call has no record: the codes in `errors` of the result log. */
export interface RowProblems {
  // the row itself
  ragged: { readonly cells: number; readonly columns: number }
  extra_cells: { readonly cells: number; readonly columns: number }
  still_ragged: None
  still_not_json: None
  not_json: { readonly reason: string }
  not_object: None
  not_serializable: { readonly field: string; readonly what: string }
  too_deep: { readonly levels: number }
  nul_character: { readonly column: string }
  too_many_values: { readonly most: number }
  // what names it
  already_replaced: None
  // its values
  empty_body: None
  required: None
  not_text: None
  too_long: { readonly characters: number }
  too_many_items: { readonly most: number }
  replace_failed: { readonly pattern: string; readonly reason: Problem }
  not_in_map: { readonly keys: readonly string[] }
  not_integer: None
  not_number: { readonly decimal: string }
  number_too_large: None
  not_boolean: { readonly yes: readonly string[]; readonly no: readonly string[] }
  not_date: { readonly formats: readonly string[] }
  nonexistent_time: { readonly zone: string; readonly before: string; readonly after: string }
  ambiguous_time: { readonly zone: string; readonly first: string; readonly second: string }
  not_duration: None
  unknown_day_length: None
  not_email: None
  not_phone: None
  phone_without_country: None
  not_url: None
  not_domain: None
  not_uuid: None
  not_json_value: None
  unknown_country: { readonly country: string }
  unknown_zone: { readonly zone: string }
  bad_date_format: { readonly format: string; readonly reason: string }
  unknown_field: None
  wrong_type: { readonly expected: string; readonly got: string; readonly hint: string | undefined }
  // lookups and links between rows
  lookup_not_found: { readonly table: string }
  lookup_without_record: { readonly table: string }
  lookup_bad_value: {
    readonly place: string
    readonly column: string
    readonly problem: Problem
  }
  lookup_incomplete: { readonly step: string }
  row_not_found: { readonly column: string }
  lookup_ambiguous: { readonly first: string; readonly second: string }
  linked_row_not_created: { readonly row: string; readonly status: string }
  linked_row_not_in_sources: { readonly line: string; readonly status: string }
  row_above_left_out: None
  row_above_invalid: None
  bad_indent: None
  linked_row_gone: None
  circular_link: { readonly rows: readonly string[] }
  // expressions
  expression_failed: { readonly expression: string; readonly reason: Problem | string }
  too_many_steps: None
  result_too_large: None
  result_not_finite: None
  result_is_function: None
  eval_not_available: None
  lookup_not_declared: { readonly name: string }
  // calls
  never_reached: { readonly reason: string }
  proxy_refused: { readonly status: number }
  no_answer: { readonly reason: string }
  incomplete_answer: { readonly reason: string }
  no_record_id: None
  record_id_taken: { readonly recordId: string; readonly source: string; readonly row: number }
  answer_of_other_row: { readonly field: string }
  http_error: { readonly status: number }
  response_rule: { readonly problem: Problem; readonly means: string }
  run_killed: None
  damaged_line: None
  settled_not_created: None
  still_in_doubt: { readonly problem: Problem }
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
  not_yaml: { readonly reason: string }
  unknown_alias: { readonly alias: string }
  bad_value: { readonly name: string; readonly reason: string }
  unknown_key: { readonly key: string; readonly suggestion: string | undefined }
  unknown_setting: { readonly key: string; readonly suggestion: string | undefined }
  not_settings: None
  bad_step_name: { readonly name: string }
  stream_in_plan: { readonly part: string }
  step_needs_itself: { readonly name: string }
  same_results: { readonly name: string; readonly log: string }
  circular_steps: { readonly steps: readonly string[] }
  unknown_body_field: {
    readonly name: string
    readonly suggestion: string | undefined
    readonly of: 'record' | 'custom_field' | 'object'
  }
  bad_constant: { readonly field: string; readonly problem: Problem }
  unknown_column: { readonly name: string; readonly suggestion: string | undefined; readonly source: string }
  missing_columns: {
    readonly missing: readonly string[]
    readonly header: readonly string[]
    readonly source: string
  }
  no_known_column: { readonly header: readonly string[]; readonly source: string }
  column_names_differ: { readonly name: string; readonly called: readonly string[] }
  incomplete_key: { readonly names: readonly string[]; readonly source: string }
  key_columns_differ: { readonly names: string; readonly one: string; readonly other: string }
  use_created_not_supported: { readonly record: string }
  bad_expression: { readonly reason: string }
  bad_pattern: { readonly reason: string }
  endless_pattern: { readonly pattern: string }
  unclosed_template: None
  empty_template: None
  conflicting_keys: { readonly marks: readonly string[]; readonly first: string }
  requires_other_key: { readonly part: string; readonly needs: string }
  no_duration_unit: { readonly units: readonly string[] }
  unknown_lookup: { readonly name: string; readonly suggestion: string | undefined }
  step_without_plan: { readonly step: string }
  unknown_step: {
    readonly name: string
    readonly suggestion: string | undefined
    readonly known: readonly string[]
  }
  own_step: { readonly name: string }
  bad_zone: { readonly zone: string }
  bad_country: { readonly country: string }
  bad_format: { readonly format: string; readonly reason: string }
  bad_locale: { readonly tag: string }
}
export type FileProblem = OneOf<FileProblems>

export function fileProblem<C extends keyof FileProblems>(
  code: C,
  ...[params]: ParamsOf<FileProblems, C>
): FileProblem {
  return { code, params: params ?? {} } as FileProblem
}
