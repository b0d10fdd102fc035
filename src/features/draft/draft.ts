// `rowlift init` drafts a mapping. `columns/` collects what the rows hold, `roles/` decides what each column is, `fields/` writes the lines
// of the body, `compose.ts` puts them together, `preset.ts` adapts a preset, and `files/` links the drafts of several files.
// Begin at `draftOf`.

import { compileMapping, type Mapping } from '../../mapping/mapping.ts'
import type { Row } from '../../model/row.ts'
import { nilUuid, present } from '../../model/values.ts'
import { runTests } from '../mapping-tests/run-tests.ts'
import type { Column, Columns } from './columns/column.ts'
import { type FileFacts, hasTable, type RowFacts } from './columns/survey.ts'
import { compose } from './compose.ts'
import { isPadded, openingLines } from './opening.ts'
import { adaptedPreset } from './preset.ts'
import type { Explained } from './roles/match.ts'
import { schemaFiles } from './schema-files.ts'
import { type FlowMap, flow, quote, word, wrapped } from './yaml.ts'

/** `unmapped` are the columns that the mapping does not read; `explained` says why each became what it became, and is empty for a preset. */
export type Draft = ReturnType<typeof finished> & { readonly explained: readonly Explained[] }

const mostRounds = 4

export const draftOf = (file: FileFacts): Draft =>
  (file.preset ? draftOfPreset(file, file.preset) : undefined) ?? composedDraft(file)

/** Undefined unless the preset fits the columns. */
function draftOfPreset(file: FileFacts, preset: string): Draft | undefined {
  const { source, columns, links } = file
  try {
    const adapted = adaptedPreset(preset, file)
    const why = `# Its columns are those of the preset ${preset}, which follows.`
    const [own = '', tests] = adapted.split(/^(?=tests:)/m)
    const keepsTests = links === undefined && tests !== undefined
    const lines = linked((keepsTests ? adapted : own).trimEnd().split('\n'), file)
    const trial = trialOf([...openingLines(file).flatMap(wrapped), why, '', ...lines])
    if (hasTable(source)) trial.mapping.checkColumns(namesOf(columns), source.name)
    trial.mapping.settleColumns([namesOf(columns)]) // a mapped column may be in other letters
    return { ...finished(file, trial, keepsTests ? [] : testLines(trial, file)), explained: [] }
  } catch {
    return undefined
  }
}

/** Columns that make a draft refuse rows are trusted less, and the draft is made again. */
function composedDraft(file: FileFacts): Draft {
  const columns = file.columns.filter(({ name }) => !file.links?.columns.includes(name))
  for (let round = 1; ; round += 1) {
    const { lines, roles } = compose({ ...file, columns })
    const trial = trialOf([...openingLines(file), '', ...linked(lines, file)].flatMap(wrapped))
    const suspects = round < mostRounds ? suspectColumns(trial.mapping, file) : []
    for (const column of suspects) column.isDistrusted = true
    if (suspects.length > 0) continue
    const draft = finished(file, trial, testLines(trial, file))
    return { ...draft, explained: roles.explain(draft.text, trial.mapping) }
  }
}

const linked = (lines: readonly string[], { links }: FileFacts) => links?.into(lines) ?? lines

type Trial = ReturnType<typeof trialOf>

/** The lines of a draft, compiled. Each lookup returns an id, one in a table a number, and `lookedUp` keeps it. */
function trialOf(lines: readonly string[]) {
  const lookedUp: Record<string, Record<string, string>> = {}
  const mapping = compileMapping('draft.yaml', lines.join('\n'), '')
  for (const [name, spec] of Object.entries(mapping.lookupSpecs)) {
    const value = 'file' in spec ? '1' : nilUuid
    mapping.lookups.provide(name, text => {
      lookedUp[name] = Object.assign(lookedUp[name] ?? {}, { [text]: value })
      return { type: 'found', value }
    })
  }
  return { lines, mapping, lookedUp }
}

const mostTestRows = 50
const longestTest = 2_000
const testsNote =
  '# The first row and what becomes of it; "rowlift test" checks it. Add rows that matter to you.'

/** The first row that is accepted, with its body, for `rowlift test`. */
function testLines({ lines, mapping, lookedUp }: Trial, { rows, columns }: FileFacts): string[] {
  const unmapped = unmappedOf(mapping, columns)
  const used = columns.filter(column => !unmapped.includes(column))
  const first = rows.kept.slice(0, mostTestRows)
  for (const row of first.filter(row => !isBroken(row, rows) && mapping.selects(row))) {
    const cells = used.map(({ name }) => [name, row.value(name)] as const)
    const test = flow(
      Object.fromEntries(cells.filter(([, value]) => present(value) !== undefined)) as FlowMap,
    )
    for (const name of Object.keys(lookedUp)) delete lookedUp[name]
    const mapped = mapping.map(row)
    if (!('body' in mapped) || test.length > longestTest) continue
    const lookups = Object.keys(lookedUp).length > 0 ? [`    lookups: ${flow(lookedUp)}`] : []
    const body = `    body: ${flow(mapped.body as FlowMap)}`
    const tests = ['', testsNote, 'tests:', `  - row: ${test}`, ...lookups, body]
    if (passes([...lines, ...tests])) return tests
  }
  return []
}

/** Checks the draft by its test: some names cannot be keys of YAML, and some values read back as others. */
function passes(lines: readonly string[]): boolean {
  try {
    return runTests(trialOf(lines).mapping).every(({ differences }) => differences.length === 0)
  } catch {
    return false
  }
}

/** Adds the line for editors, the list of questions, and at the end the columns that are not mapped. */
function finished(file: FileFacts, { lines, mapping }: Trial, tests: readonly string[]) {
  const questions = lines.flatMap((line, at) => (/^\s*# \? /.test(line) ? [fieldBelow(lines, at)] : []))
  const count = questions.length === 1 ? 'One question is' : `${questions.length} questions are`
  const note = `# ${count} below, marked with "# ?": ${[...new Set(questions)].join(', ')}.`
  const end = lines.findIndex(line => !line.startsWith('#'))
  const unmapped = unmappedOf(mapping, file.columns)
  const whole = [
    `# yaml-language-server: $schema=${schemaFiles.mapping}`,
    ...lines.slice(0, end),
    ...(questions.length > 0 ? wrapped(note) : []),
    ...lines.slice(end),
    ...tests,
    ...columnLines(unmapped),
    '',
  ]
  return { text: whole.join('\n'), counts: countsOf(mapping, file.rows), unmapped: namesOf(unmapped) }
}

const fieldLine = /^\s*(?:# )?(?:- ?)?([a-z_]+):(?: |$)/
const fieldBelow = (lines: readonly string[], at: number): string =>
  lines.slice(at).flatMap(line => fieldLine.exec(line)?.[1] ?? [])[0] ?? 'source'

function columnLines(unmapped: Columns): string[] {
  const hasParts = ({ name, hasObjects }: Column) =>
    hasObjects && unmapped.some(other => other.name.startsWith(`${name}.`))
  const lines = unmapped
    .filter(column => !hasParts(column))
    .map(({ name, example, hasObjects }) => {
      const text = example === undefined ? 'empty in every row that was read' : quote(example.text)
      return `#   ${word(name)}: ${hasObjects ? 'objects' : text}`
    })
  const title = '# Columns of this file that are not mapped, each with an example:'
  return lines.length > 0 ? ['', title, ...lines] : []
}

const namesOf = (columns: Columns) => columns.map(({ name }) => name)

function unmappedOf(mapping: Mapping, columns: Columns): Column[] {
  const unused = new Set(mapping.columnFacts([namesOf(columns)]).unused)
  return columns.filter(({ name }) => unused.has(name))
}

/** The columns whose values make rows invalid, and were not suspected before. */
function suspectColumns(mapping: Mapping, { rows, columns }: FileFacts): Column[] {
  const whole = rows.kept.filter(row => !isBroken(row, rows) && !rows.headers.includes(row.line))
  const mapped = whole.map(row => mapping.map(row))
  const errors = mapped.flatMap(each => ('errors' in each ? each.errors : []))
  const suspects = new Set(errors.map(({ code, column }) => (code === 'error_cell' ? undefined : column)))
  return columns.filter(({ name, isDistrusted }) => suspects.has(name) && !isDistrusted)
}

/** Rows were read strictly; a draft that pads accepts short rows. */
const isBroken = (row: Row, rows: RowFacts) => row.fault !== undefined && !isPadded(rows)

function countsOf(mapping: Mapping, rows: RowFacts) {
  const identify = mapping.identifier()
  const keys = new Set<string>()
  const isFirst = (row: Row) => !mapping.isDistinct || keys.size < keys.add(identify(row).key).size
  const chosen = rows.kept.filter(row => mapping.selects(row) && isFirst(row))
  const refused = chosen.filter(row => isBroken(row, rows) || 'errors' in mapping.map(row))
  return { rows: chosen.length, refused: refused.length }
}
