import { customValues } from '../../records/fields.ts'
import type { Words } from './sentence.ts'

const customField = `the value of a custom field is ${new Intl.ListFormat('en', { type: 'disjunction' }).format(customValues)}; `
const ownField =
  'rowlift fields lists all; one of your own is custom_field_values: [{ custom_field_id: ID, text_value: … }]; '

/** A header of one column may be of another delimiter. */
function isRightFile(what: string, [first = '', ...others]: readonly string[] = []) {
  const [, sign] = others.length === 0 ? (/([;\t|])/.exec(first) ?? []) : []
  const give = sign === undefined ? '' : ', or with {--delimiter} "{sign}" several columns'
  return [`${what}; is it the right file? It has {...header}${give}`, { sign: sign?.replace('\t', '\\t') }]
}

/** Faults of a mapping, settings file or plan; file, line and column come before them. */
export const fileWords = {
  not_yaml: (_: Record<'cause' | 'reason', string>) => '{reason}',
  unknown_alias: 'unknown alias *{alias} → text that starts with * needs quotes',
  /** The facts of a schema's issue, at a path. */
  bad_value: (_: Record<'name' | 'reason' | 'at' | 'code', string> & { isMissing: boolean }) =>
    '{name}{reason}',
  unknown_key: 'unknown key "{key}"{?suggestion}',
  unknown_setting: 'unknown setting "{key}"{?suggestion}',
  not_settings: 'a settings file holds keys and values, such as concurrency: 20',

  unknown_body_field: (p: {
    name: string
    suggestion: string | undefined
    of: 'record' | 'custom_field' | 'object'
  }) => `unknown field "{name}"{?suggestion}
    → ${p.of === 'custom_field' ? customField : p.of === 'record' && !p.suggestion ? ownField : ''}allow_unknown_fields: true sends it anyway`,
  missing_body_field: 'the required field "{name}" is missing → add {name}: { from: COLUMN }',
  bad_constant: '{field} {@problem}',
  unknown_column: 'unknown column "{name}"{?suggestion} (the header of {source} has no such column)',
  missing_columns: (p: { missing: readonly string[]; header: readonly string[]; source: string }) =>
    isRightFile('the header of {source} lacks most columns that this mapping names ({...missing})', p.header),
  no_known_column: (p: { header: readonly string[]; source: string }) =>
    isRightFile('the header of {source} has none of the columns that this mapping names', p.header),
  column_names_differ: `the column "{name}" has different names in the sources ({...called|, })
    → rename it in them, or import them separately`,
  incomplete_key: 'the header of {source} lacks a part of the key: it has no column "{...names|" or "}"',
  repeated_key_column: `the header of {source} has the key column "{name}" more than once, as columns {...at| and }, so it is not clear what identifies a row
    → rename or remove all but one`,
  key_columns_differ: `{one} and {other} do not have the same key column ({names})
    → import them separately, each with its own result log`,
  use_created_not_supported: 'use_created does not work for record: {record} → leave it out',
  bad_expression: 'this is not a JSONata expression ({reason})',
  bad_pattern: '{reason}',

  unclosed_template: 'a template opens {{ and does not close it → write text with {{ in it as value: …',
  empty_template: 'a template names no column between {{ and }}',
  conflicting_keys: 'a rule takes only one of {...marks|, }, and {first} is given already',
  requires_other_key: '{part} needs {needs}',
  no_duration_unit: 'as: duration needs unit: {...units| or }',
  unknown_lookup: `unknown lookup "{name}"{?suggestion}
    → declare it under lookups: at the top of the mapping`,
  step_without_plan: `"{step}" is a step of a plan, and this import is not part of one
    → run it with --plan PLAN, or name the result log of that step: { results: LOG }`,
  bad_zone: 'unknown time zone "{zone}" → give an IANA name such as Europe/Berlin',
  bad_country: 'unknown country "{country}" → give its two capital letters, such as GB',
  bad_format: '"{format}" cannot be used to read a date ({reason})',
  bad_locale: '"{tag}" is not a language tag such as de or pt-BR',
} as const satisfies Words
