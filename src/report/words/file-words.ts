import type { FileProblems } from '../../model/problem.ts'
import { customValues } from '../../records/fields.ts'
import { describeProblem } from './row-words.ts'
import { type Catalogue, type Face, list, suggested } from './sentence.ts'

const customField = `the value of a custom field is ${new Intl.ListFormat('en', { type: 'disjunction' }).format(customValues)}; `
const ownField =
  'rowlift fields lists all; one of your own is custom_field_values: [{ custom_field_id: ID, text_value: … }]; '

const all = (words: readonly string[]) => words.join(', ')

/** A header of one column may be of another delimiter. */
function isRightFile(header: readonly string[], { option }: Face): string {
  const [, sign] = header.length === 1 ? (/([;⇥|])/.exec(header[0] ?? '') ?? []) : []
  const give = sign && `, or with ${option('delimiter')} "${sign.replace('⇥', '\\t')}" several columns`
  return `is it the right file? It has ${list(header)}${give ?? ''}`
}

/** Sentences about a mapping, settings file or plan; file, line and column come before them. */
export const fileWords: Catalogue<FileProblems> = {
  not_yaml: ({ reason }) => reason,
  unknown_alias: ({ alias }) => [`unknown alias *${alias}`, 'text that starts with * needs quotes'],
  bad_value: ({ name, reason }) => `${name}${reason}`,
  unknown_key: ({ key, suggestion }) => `unknown key "${key}"${suggested(suggestion)}`,
  unknown_setting: ({ key, suggestion }) => `unknown setting "${key}"${suggested(suggestion)}`,
  not_settings: () => 'a settings file holds keys and values, such as concurrency: 20',
  bad_step_name: ({ name }) => [
    `"${name}" cannot name a step, because a file is named after it`,
    'use at most 100 characters, without / or \\, and no dot or blank at the start',
  ],
  stream_in_plan: ({ part }) =>
    part === 'source'
      ? [
          'standard input cannot be a source of a plan, because all sources are checked before the first step',
          'name a file',
        ]
      : [
          'standard output cannot be a result log of a plan, because a rerun could not resume from it',
          'name a file',
        ],
  step_needs_itself: ({ name }) => `the step "${name}" cannot need itself`,
  same_results: ({ name, log }) =>
    `the step "${name}" has the same result log (${log}); each step needs its own`,
  circular_steps: ({ steps }) => `the steps wait for each other: ${steps.join(' needs ')}`,

  unknown_body_field: ({ name, suggestion, of }) => [
    `unknown field "${name}"${suggested(suggestion)}`,
    `${of === 'custom_field' ? customField : of === 'record' && suggestion === undefined ? ownField : ''}allow_unknown_fields: true sends it anyway`,
  ],
  bad_constant: ({ field, problem }) => `${field} ${describeProblem(problem)}`,
  unknown_column: ({ name, suggestion, source }) =>
    `unknown column "${name}"${suggested(suggestion)} (the header of ${source} has no such column)`,
  missing_columns: ({ missing, header, source }, face) =>
    `the header of ${source} lacks most columns that this mapping names (${list(missing)}); ${isRightFile(header, face)}`,
  no_known_column: ({ header, source }, face) =>
    `the header of ${source} has none of the columns that this mapping names; ${isRightFile(header, face)}`,
  column_names_differ: ({ name, called }) => [
    `the column "${name}" has different names in the sources (${all(called)})`,
    'rename it in them, or import them separately',
  ],
  incomplete_key: ({ names, source }) =>
    `the header of ${source} lacks a part of the key: it has no column ${names.map(name => `"${name}"`).join(' or ')}`,
  key_columns_differ: ({ names, one, other }) => [
    `${one} and ${other} do not have the same key column (${names})`,
    'import them separately, each with its own result log',
  ],
  use_created_not_supported: ({ record }) => `use_created works for contacts only, not for record: ${record}`,
  bad_expression: ({ reason }) => `this is not a JSONata expression (${reason})`,
  bad_pattern: ({ reason }) => reason,
  endless_pattern: ({ pattern }) => [
    `the regular expression ${pattern} may never end on some texts`,
    'write it without a repeat within a repeat, or without look-around and back-references',
  ],

  unclosed_template: () => [
    'a template opens {{ and does not close it',
    'write text with {{ in it as value: …',
  ],
  empty_template: () => 'a template names no column between {{ and }}',
  conflicting_keys: ({ marks, first }) =>
    `a rule takes only one of ${all(marks)}, and ${first} is given already`,
  requires_other_key: ({ part, needs }) => `${part} needs ${needs}`,
  no_duration_unit: ({ units }) => `as: duration needs unit: ${units.join(' or ')}`,
  unknown_lookup: ({ name, suggestion }) => [
    `unknown lookup "${name}"${suggested(suggestion)}`,
    'declare it under lookups: at the top of the mapping',
  ],
  step_without_plan: ({ step }) => [
    `"${step}" is a step of a plan, and this import is not part of one`,
    'run it with --plan PLAN, or name the result log of that step: { results: LOG }',
  ],
  unknown_step: ({ name, suggestion, known }) =>
    `the plan has no step "${name}"${suggested(suggestion) || `; its steps are ${all(known)}`}`,
  own_step: ({ name }) => [
    `this is the step "${name}" itself`,
    'find rows of the same import with { self: true, by: COLUMN }',
  ],
  bad_zone: ({ zone }) => [`unknown time zone "${zone}"`, 'give an IANA name such as Europe/Berlin'],
  bad_country: ({ country }) => [`unknown country "${country}"`, 'give its two capital letters, such as GB'],
  bad_format: ({ format, reason }) => `"${format}" cannot be used to read a date (${reason})`,
  bad_locale: ({ tag }) => `"${tag}" is not a language tag such as de or pt-BR`,
}
