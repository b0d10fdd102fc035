// `rowlift init` drafts a mapping. `columns/` collects what the rows hold, `roles/` decides what each column is, `fields/` writes the lines
// of the body, `compose.ts` puts them together, `preset.ts` adapts a preset, and `files/` links the drafts of several files.
// Begin at `draftOf`.

import { compileMapping, type Mapping } from '../../mapping/mapping.ts'
import { UsageError } from '../../model/errors.ts'
import type { Row } from '../../model/row.ts'
import { nilUuid, present } from '../../model/values.ts'
import type { RecordType } from '../../records/kinds.ts'
import { runTests } from '../mapping-tests/run-tests.ts'
import { missingTexts } from '../worksheets/missing-texts.ts'
import { type Answer, answered, numbered, replaced, withQuestions } from './answers.ts'
import type { Column, Columns } from './columns/column.ts'
import type { RowFacts } from './columns/survey.ts'
import { compose } from './compose.ts'
import { type FileFacts, hasTable } from './drafts.ts'
import { linesLike, withUnread } from './like.ts'
import { isQuestion, type Line, textOf, wrappedLines } from './lines.ts'
import notes from './notes.json' with { type: 'json' }
import { isPadded, openingLines } from './opening.ts'
import { adaptedPreset } from './preset.ts'
import type { Roles } from './roles/match.ts'
import { schemaFiles } from './schema-files.ts'
import { type FlowMap, flow, quote, wrapped } from './yaml.ts'

/** `unmapped` are the columns that the mapping does not read; `explained` says why each became what it became, and is empty for a preset. */
export type Draft = ReturnType<typeof draftOf>

/** A draft without its list of questions, its list of columns, and its tests unless a preset has some. */
interface Sketch {
  readonly lines: readonly Line[]
  readonly roles?: Pick<Roles<string>, 'explain'> | undefined
}

const mostRounds = 4

/** Drafts a mapping with these answers. Throws a UsageError. */
export function draftOf(file: FileFacts, answers: readonly Answer[] = [], { existing, like }: Earlier = {}) {
  const record = like === undefined && answers.find(({ column: id }) => id === 'record')
  const sketch = like ? sketchLike(like, file) : sketchOf(record ? withRecord(file, record, existing) : file)
  const fresh = like ? sketch.lines : finished(file, sketch)
  const before = existing === undefined || record ? fresh : withQuestions(existing.split('\n'), fresh)
  const after = answers.filter(answer => answer !== record).reduce(answered, before)
  const lines = before === after ? after : followed(before, after, file)
  const [text, { mapping }] = [textOf(lines), trialOf(lines, file)]
  mapping.settleColumns([namesOf(file.columns)]) // a mapped column of a preset may be in other letters
  const worksheets = missingTexts(mapping, file.source.settings.delimiter) // of the rows that are counted
  return {
    ...{ text, lines, mapping, worksheets, counts: countsOf(mapping, file.rows) },
    unmapped: namesOf(unmappedOf(mapping, file.columns)),
    explained: sketch.roles?.explain(text, mapping) ?? [],
  }
}

/** The texts of a draft, of which only the questions change, and of the mapping for an older export. */
type Earlier = { readonly [Mapping in 'existing' | 'like']?: string | undefined }

/** The mapping of an older export for this file; without a difference, as it is. */
function sketchLike(text: string, file: FileFacts): Sketch {
  const old = compileMapping('the mapping of --like', text, '')
  if (old.source.header.type === 'columns') throw new UsageError('like_columns')
  const draftFor = (columns: Columns) => composed({ ...file, columns, record: old.record })
  const whole = draftFor(file.columns)
  const { lines, added } = linesLike(text, old, file.columns, columns => {
    const sketch = columns === file.columns ? whole : draftFor(columns)
    return { body: bodyOf(sketch), mapping: trialOf(sketch.lines).mapping }
  })
  if (!lines.some(isQuestion) && added.length === 0) return { lines, roles: whole.roles }
  const own = withoutTail(lines)
  const hasTail = own !== lines && old.tests.length === 1
  const now = hasTail ? [...own, ...tailOf(own, file)] : [...lines.slice(0, -1), ...columnLines(added)]
  return { lines: [...now, ''], roles: whole.roles }
}

const bodyOf = ({ lines }: Sketch) => lines.slice(lines.indexOf('body:'))

/** The answer for the record drafts all of the file again. */
function withRecord(file: FileFacts, answer: Answer, existing: string | undefined): FileFacts {
  const lines = finished(file, sketchOf(file))
  answered(lines, answer) // checks it
  if (existing !== undefined && existing !== textOf(lines))
    throw new UsageError('draft_edited', { id: answer.column })
  return { ...file, record: answer.path as RecordType }
}

/** What a draft says of itself follows the answers, unless it was changed by hand. */
function followed(before: readonly Line[], after: readonly Line[], file: FileFacts): readonly Line[] {
  const tail = (lines: readonly Line[]) => tailOf(withoutTail(lines), file)
  return [noteOf, tail].reduce((lines, part) => replaced(lines, part(before), part(after)), after)
}

const sketchOf = (file: FileFacts): Sketch =>
  (file.preset ? sketchOfPreset(file, file.preset) : undefined) ?? composed(file)

/** Undefined unless the preset fits the columns. */
function sketchOfPreset(file: FileFacts, preset: string): Sketch | undefined {
  const { source, columns, links } = file
  try {
    const adapted = adaptedPreset(preset, file)
    const end = adapted.indexOf('tests:')
    const own = (links || file.country) && end > 0 ? adapted.slice(0, end - 1) : adapted
    const why = `# Its columns are those of the preset ${preset}, which follows.`
    const whole = numbered([...wrappedLines(openingLines(file)), why, '', ...linked(own, file)])
    const { mapping } = trialOf(whole)
    if (hasTable(source)) mapping.checkColumns(namesOf(columns), source.name)
    const full = unmappedOf(mapping, columns).filter(({ filled, rows }) => filled > rows / 2)
    const names = columns.filter(({ name }) => mapping.columns.fieldsOf(name).includes('name'))
    const draftFor = (unread: Columns) =>
      bodyOf(composed({ ...file, columns: [...names, ...unread], record: mapping.record }))
    return { lines: withUnread(whole, full, draftFor) }
  } catch {
    return undefined
  }
}

/** Columns that make a draft refuse rows are trusted less, and the draft is made again. */
function composed(file: FileFacts): Sketch {
  const columns = file.columns.filter(({ name }) => !file.links?.columns.includes(name))
  for (let round = 1; ; round += 1) {
    const { lines, roles } = compose({ ...file, columns })
    const whole = numbered(wrappedLines([...openingLines(file), '', ...linked(lines, file)]))
    const suspects = round < mostRounds ? suspectColumns(trialOf(whole, file).mapping, file) : []
    for (const column of suspects) column.isDistrusted = true
    if (suspects.length === 0) return { lines: whole, roles }
  }
}

const linked = (lines: readonly Line[], { links }: FileFacts) => links?.into(lines) ?? lines

const notFilledIn = { type: 'missing', problem: { code: 'row_not_found', params: { column: '' } } } as const
type Trial = ReturnType<typeof trialOf>

/** The lines of a draft, compiled. Each lookup returns an id, one in a table a number, and `lookedUp` keeps it. */
function trialOf(lines: readonly Line[], { columns = [] }: Partial<FileFacts> = {}) {
  const folder = columns[0]?.worksheets
  const lookedUp: Record<string, Record<string, string>> = {}
  const mapping = compileMapping('draft.yaml', textOf(lines), '')
  for (const [name, spec] of Object.entries(mapping.lookupSpecs)) {
    const value = 'file' in spec ? '1' : nilUuid
    mapping.lookups.provide(name, text => {
      if ('file' in spec && folder && spec.file?.startsWith(folder)) return notFilledIn
      lookedUp[name] = Object.assign(lookedUp[name] ?? {}, { [text]: value })
      return { type: 'found', value }
    })
  }
  return { lines, mapping, lookedUp }
}

const mostTestRows = 50
const longestTest = 2_000
/** The first row that is accepted, with its body, for `rowlift test`. */
function testLines({ lines, mapping, lookedUp }: Trial, { rows, columns }: FileFacts): string[] {
  const unmapped = unmappedOf(mapping, columns)
  const used = columns.filter(column => !unmapped.includes(column))
  const first = rows.kept.filter(row => !rows.titles.includes(row)).slice(0, mostTestRows)
  for (const row of first.filter(row => !isBroken(row, rows) && mapping.selects(row))) {
    const cells = used.map(({ name }) => [name, row.value(name) as FlowMap[string]] as const)
    const test = flow(Object.fromEntries(cells.filter(([, value]) => present(value) !== undefined)))
    for (const name of Object.keys(lookedUp)) delete lookedUp[name]
    const mapped = mapping.map(row)
    if (!('body' in mapped) || test.length > longestTest) continue
    const lookups = Object.keys(lookedUp).length > 0 ? [`    lookups: ${flow(lookedUp)}`] : []
    const body = `    body: ${flow(mapped.body as FlowMap)}`
    const tests = ['', notes.tests, 'tests:', `  - row: ${test}`, ...lookups, body]
    if (passes([...lines, ...tests])) return tests
  }
  return []
}

/** Checks the draft by its test: some names cannot be keys of YAML, and some values read back as others. */
function passes(lines: readonly Line[]): boolean {
  try {
    return runTests(trialOf(lines).mapping).every(({ differences }) => differences.length === 0)
  } catch {
    return false
  }
}

/** Adds the line for editors, the list of questions, and at the end the tests and the columns that are not mapped. */
function finished(file: FileFacts, { lines }: Sketch): Line[] {
  const end = lines.indexOf('')
  return [
    `# yaml-language-server: $schema=${schemaFiles.mapping}`,
    ...lines.slice(0, end),
    ...noteOf(lines),
    ...lines.slice(end),
    ...tailOf(lines, file),
    '',
  ]
}

/** The lines above the test that a draft has of its own. */
function withoutTail(lines: readonly Line[]): readonly Line[] {
  const at = lines.indexOf(notes.tests)
  return at < 1 ? lines : lines.slice(0, at - 1)
}

function tailOf(lines: readonly Line[], file: FileFacts): string[] {
  const trial = trialOf(lines, file)
  trial.mapping.settleColumns([namesOf(file.columns)])
  const tests = trial.mapping.tests.length > 0 ? [] : testLines(trial, file)
  return [...tests, ...columnLines(unmappedOf(trial.mapping, file.columns))]
}

function noteOf(lines: readonly Line[]): string[] {
  const ids = lines.filter(isQuestion).map(({ id }) => id)
  const count = ids.length === 1 ? 'One question is' : `${ids.length} questions are`
  return ids.length === 0 ? [] : wrapped(`# ${count} below, marked with "# ?": ${ids.join(', ')}.`)
}

function columnLines(unmapped: Columns): string[] {
  const hasParts = ({ name, hasObjects }: Column) =>
    hasObjects && unmapped.some(other => other.name.startsWith(`${name}.`))
  const whole = unmapped.filter(column => !hasParts(column))
  const lines = whole.map(({ name, example, hasObjects }) => {
    const text = example === undefined ? 'empty in every row that was read' : quote(example.text)
    return `#   ${flow(name)}: ${hasObjects ? 'objects' : text}`
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
  const whole = rows.kept.filter(row => !isBroken(row, rows) && !rows.noRows.includes(row))
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
