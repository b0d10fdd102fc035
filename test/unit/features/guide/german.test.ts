import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { germanWords } from '../../../../src/features/guide/german.ts'
import {
  describeError,
  describeEvent,
  describeProblem,
  speaking,
} from '../../../../src/features/guide/language.ts'
import { statuses } from '../../../../src/features/guide/server.ts'
import catalogue from '../../../../src/features/guide/words.de.json' with { type: 'json' }
import { compileMapping } from '../../../../src/mapping/mapping.ts'
import { LogError } from '../../../../src/model/errors.ts'
import { problem } from '../../../../src/model/problem.ts'
import { news, warnings } from '../../../../src/output/words/notices.ts'
import { catalogues } from '../../../../src/output/words.ts'
import { expected } from '../../../../src/records/fields.ts'

const { rows, files, sources, log, lock, stops, usage } = catalogues
const notices: Readonly<Record<string, unknown>> = { ...news, ...warnings }
/** Codes of commands, options and machines that a page has nothing to do with, and what is the same in all languages. */
const elsewhere =
  /^(ledger|import_needs_ledger|other_import|like_|log_options|log_of_ledger|watch_|file_faults$)/
const ofCommands = [
  ...['missing_command', 'unknown_command', 'unknown_option', 'missing_value', 'unexpected_value'],
  ...[
    'no_results',
    'no_such_field',
    'rejects_to_stdout',
    'no_log_named',
    'page_to_stdout',
    'page_without_log',
  ],
  ...['source_or_rows', 'rows_not_iterable', 'rows_have_no_format', 'standard_stream', 'already_iterated'],
  ...['mapping_not_serializable', 'limit_not_approvable', 'no_record_named', 'one_source_only'],
  ...['several_need_folder', 'stream_in_migration', 'single_source_only', 'forget_unconfirmed'],
  ...['export_of_others', 'unknown_run', 'no_mapping_named', 'preset_not_written', 'no_tests'],
  ...['metrics_with_dry_run', 'one_log_only', 'resolve_options', 'unlike_log', 'not_a_record_id'],
  ...['nothing_compared', 'import_moved', 'sandbox_failed'],
]
const english: Readonly<Record<string, unknown>> = {
  ...{ ...rows, ...files, ...sources, ...log, ...lock, ...stops, ...usage },
  ...Object.fromEntries(Object.entries(notices).map(([type, words]) => [`on_${type}`, words])),
}
/** German codes that are in no English catalogue. */
const own = /^(held_file|output_unwritten|question|choice|(check|finding|refused)_[a-z_]+)$/

type Choice = Readonly<Record<string, Readonly<Record<string, string>>>>
const german = Object.entries<unknown>(catalogue).map(([code, entry]) => {
  const [text, chosen = {}] = [entry].flat() as [string, Readonly<Record<string, Choice>>?]
  const choices = Object.values(chosen).flatMap(choice => Object.entries(choice))
  return {
    ...{ code, chosen, choices },
    texts: [text, ...choices.flatMap(([, texts]) => Object.values(texts))],
    chosenBy: choices.map(([fact]) => fact),
  }
})
type German = (typeof german)[number]

const mark = /\{(?:#|@|\?|-|\.{3})?([a-z]\w*)(?:\|[^}]*)?\}/g
const namesIn = (texts: readonly string[]) =>
  texts.flatMap(text => [...text.matchAll(mark)].map(([, name = '']) => name))
const factsOf = ({ texts, chosenBy }: German) => [...new Set([...namesIn(texts), ...chosenBy])].sort()

/** The English catalogue as it stands in its files, where the types of facts are. */
const src = new URL('../../../../src/', import.meta.url)
const written = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter(file => /^output.words.*\.ts$|^features.[^/\\]+.words\.ts$|^model.events\.ts$/.test(file))
  .map(file => readFileSync(new URL(file.replaceAll('\\', '/'), src), 'utf8'))
/** What a function declares: its own text, and the types and functions that this names. */
function declaredBy(code: string, entry: unknown): string {
  const place = new RegExp(`^( +)${code}: [^]*?^\\1(?! |\\}|\\)|>)`, 'm')
  const own = [String(entry), ...written.flatMap(text => place.exec(text)?.[0] ?? [])].join('\n')
  const named = [...own.matchAll(/\b([A-Z]\w+|[a-z]+[A-Z]\w+)\b/g)].map(([, name]) => name)
  const others = named.flatMap(name =>
    written.flatMap(
      text =>
        new RegExp(`^(?:type|function|const) ${name}\\b[^]*?^(?=\\S)(?!\\})`, 'm').exec(text)?.[0] ?? [],
    ),
  )
  return [own, ...others].join('\n')
}
/** Facts that German does without: the page has one address, and what a part needs is an English text. */
const leftOut = ['bad_base_url option', 'requires_other_key needs']
/** Facts of a schema's issue, which its type does not list. */
const issueFacts = ['expected', 'values', 'minimum', 'maximum', 'origin', 'inclusive']

describe('the German catalogue', () => {
  it('a problem without facts has its sentence', () => {
    const problem = { code: 'phone_without_country' } as Parameters<typeof describeProblem>[0]
    expect(speaking('de', () => describeProblem(problem))).toContain('Telefonnummer ohne Land')
  })

  it('each refusal of a call has its entry', () => {
    const codes = Object.keys(statuses).filter(code => code !== 'bad_call' && code !== 'outside')
    const refused = german.map(({ code }) => code).filter(code => code.startsWith('refused_'))
    expect(refused.sort()).toEqual(codes.map(code => `refused_${code}`).sort())
  })

  it('each code that a page can show has a German entry, and each entry a code', () => {
    const codes = Object.keys(english).filter(code => !elsewhere.test(code) && !ofCommands.includes(code))
    const shown = codes.filter(code => code !== 'on_estimated' && code !== 'defect') // no notice; the same everywhere
    expect(shown.filter(code => !Object.hasOwn(catalogue, code))).toEqual([])
    expect(
      german.map(({ code }) => code).filter(code => !Object.hasOwn(english, code) && !own.test(code)),
    ).toEqual([])
  })

  it.each(german)('$code names the facts of its English entry', entry => {
    const { code } = entry
    if (own.test(code)) return
    const words = english[code]
    if (typeof words === 'string') {
      const named = [...new Set(namesIn([words]))].filter(name => !leftOut.includes(`${code} ${name}`))
      return expect(factsOf(entry)).toEqual(named.sort())
    }
    const declared = declaredBy(code.replace(/^on_/, ''), words)
    const known = (name: string) =>
      [name, name.replace(/_\w+$/, '')].some(each => new RegExp(`\\b${each}\\b`).test(declared)) ||
      (code === 'bad_value' && issueFacts.includes(name))
    expect(factsOf(entry).filter(name => !known(name))).toEqual([])
  })

  it.each(german)('$code has words for each of its places, and no others', ({ chosen, texts }) => {
    const places = texts.flatMap(text => [...text.matchAll(/\{([A-Z]\w*)\}/g)].map(([, place]) => place))
    expect([...new Set(places)].sort()).toEqual(Object.keys(chosen).sort())
  })
})

const spoken = (work: () => unknown) => speaking('de-AT,de;q=0.9', work)

describe('a sentence in German', () => {
  it('numbers, lists and durations are as Germans write them', () => {
    const columns = Array.from({ length: 14 }, (_, at) => `c${at}`)
    expect(spoken(() => describeEvent({ type: 'columns_added', columns }))).toMatch(
      /: c0, .*, c11, 2 weitere$/,
    )
    expect(spoken(() => describeEvent({ type: 'orphaned_calls', calls: 1_204 }))).toContain('1.204 Aufrufe')
    expect(spoken(() => describeEvent({ type: 'service_back', forMs: 4_200 }))).toBe(
      'der Dienst ist nach 4,2 s wieder da; es geht weiter',
    )
  })

  it('what another program holds, and a problem in a problem, are in German, too', () => {
    const busy = new LogError('cannot_write', { path: 'r.csv', reason: 'EBUSY' })
    expect(spoken(() => describeError(busy))).toBe(
      'r.csv: ist in einem anderen Programm offen, etwa in Excel; dort schließen, dann noch einmal versuchen',
    )
    const last = problem('never_reached', { reason: 'ECONNREFUSED' })
    const until = new Date(0)
    expect(spoken(() => describeEvent({ type: 'service_down', last, forMs: 1, until }))).toContain(
      '(der Dienst wurde nicht erreicht (ECONNREFUSED))',
    )
  })

  it.each(Object.values(expected))('a field that must be %s has German words for it', word => {
    const wrong = problem('wrong_type', { expected: word, got: 'a list', hint: undefined })
    const text = String(spoken(() => describeProblem(wrong)))
    expect(text).toMatch(/^muss .+, nicht eine Liste$/)
    expect(text).not.toMatch(/\b(an?|whole|number|list|or)\b/)
  })
})

const start = 'record: contact\nbody:\n  name: { from: Name }\n'
const faulty: readonly (readonly [fault: string, mapping: string])[] = [
  ['a bracket that is never closed', 'record: contact\nbody: { name: { from: Name }\n'],
  ['a tab', 'record: contact\nbody:\n\tname: x\n'],
  ['two colons', 'record: contact: x\n'],
  ['a quote that is never closed', 'record: "contact\nbody: {}\n'],
  ['a wrong indent', 'record: contact\n  body:\n name: x\n'],
  ['a key that comes twice', `${start}record: task\n`],
  ['an alias', 'record: *x\n'],
  ['a bad escape', 'record: "\\q"\nbody: {}\n'],
  ['two documents', `${start}---\n${start}`],
  ['a key of JavaScript', `${start}  __proto__: 1\n`],
  ['a number that JSON has not', `${start}tests: [{ row: { a: .inf } }]\n`],
  ['an unknown key', `${start}bodi: 1\n`],
  ['an unknown key that is like none', `${start}xyzxyz: 1\n`],
  ['no body', 'record: contact\n'],
  ['another record', 'record: lead\nbody: { name: { from: Name } }\n'],
  ['a key that is an object', `${start}key: { a: 1 }\n`],
  ['a header that is a number', `${start}source: { header: 3 }\n`],
  ['a sheet number that is too small', `${start}source: { sheet: 0 }\n`],
  ['an empty encoding', `${start}source: { delimiter: "" }\n`],
  ['a condition without an operator', `${start}where: { Group: {} }\n`],
  ['a condition with a list in a list', `${start}where: { Group: [[a]] }\n`],
  ['distinct that is a number in a list', `${start}where: { distinct: [{}] }\n`],
  ['a lookup of no kind', `${start}lookups: { x: { by: A } }\n`],
  ['a test that expects nothing', `${start}tests: [{ row: { Name: a } }]\n`],
  ['an expectation that is no share', `${start}expect: { omitted: many }\n`],
  ['an expectation that is too large', `${start}expect: { omitted: 120% }\n`],
  ['an expectation that is no number', `${start}expect: { merged: many, rows: { min: -1 } }\n`],
  ['a key beside distinct', `${start}key: A\nwhere: { distinct: B }\n`],
  ['an unknown field', `${start}  nam: x\n`],
  ['an unknown field that is like none', `${start}  xyzxyz: x\n`],
  ['a constant of the wrong type', `${start}  emails: hello\n`],
  ['a constant that is no time', 'record: task\nbody: { title: { from: A }, due_date: soon }\n'],
  ['a rule with two sources', `${start}  designation: { from: A, join: [B] }\n`],
  ['a part without another', `${start}  designation: { from: A, country: GB, missing: omit, with: x }\n`],
  ['a duration without a unit', `${start}  designation: { from: A, as: duration }\n`],
  ['a type that there is not', `${start}  designation: { from: A, as: colour }\n`],
  ['a column that is an object', `${start}  designation: { from: { a: 1 } }\n`],
  [
    'hours that are too many',
    `${start}  designation: { from: A, as: duration, unit: hours, hours_per_day: 30 }\n`,
  ],
  [
    'hours that are none',
    `${start}  designation: { from: A, as: duration, unit: hours, hours_per_day: 0 }\n`,
  ],
  ['an empty that is a word', `${start}  designation: { from: A, empty: x }\n`],
  ['words that are none', `${start}  designation: { from: A, as: boolean, true: [[a]] }\n`],
  ['settings that are not known', `${start}  designation: { from: A, as: date, zone: Mars, locale: "?" }\n`],
  [
    'a country and a format that are not known',
    `${start}  designation: { from: A, as: phone, country: QQ }\n`,
  ],
  ['a template that is not closed', `${start}  designation: "{{A"\n`],
  ['a template without a column', `${start}  designation: "{{}}"\n`],
  ['a lookup that is not declared', `${start}  designation: { from: A, lookup: x }\n`],
  ['a custom field', `${start}  custom_field_values: [{ custom_field_id: 1, value: x }]\n`],
]

describe('the faults of a mapping', () => {
  it.each(faulty)('%s is described in German, with no English', (_, text) => {
    let error: unknown
    try {
      compileMapping('c.yaml', text, '')
    } catch (thrown) {
      error = thrown
    }
    expect(error).toMatchObject({ code: 'file_faults' })
    const lines = String(spoken(() => describeError(error)))
    expect(lines).toMatch(/^c\.yaml:\d+:\d+: /)
    expect(lines).not.toMatch(/\b(must|is|are|unknown|the|needs?|of|a|an)\b|\{[#.@]?\w+\}|undefined/)
    expect(describeError(error)).not.toBe(lines)
  })
})

it('entries leave no place open, whatever their facts are', () => {
  for (const { code, texts, chosenBy } of german) {
    const kinds = texts.flatMap(text => [...text.matchAll(/\{(#|\.{3})?@?([a-z]\w*)/g)])
    const named = kinds.map(([, kind, name = '']) => [name, kind === '#' ? 2 : kind ? ['a', 'b'] : 'x'])
    const facts = { ...Object.fromEntries(chosenBy.map(name => [name, 'x'])), ...Object.fromEntries(named) }
    const entry = germanWords[code] as (params: object) => readonly [string, object]
    const [text, values] = entry(facts)
    const places = [...text.matchAll(/\{[#@?-]?([a-z][\w-]*)/g)].map(([, name]) => name)
    expect(
      places.filter(name => !Object.hasOwn(values, String(name))),
      code,
    ).toEqual([])
  }
})
