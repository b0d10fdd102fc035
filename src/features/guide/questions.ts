// Step "Questions": those of the draft that still stand in the mapping, with what each answer changes in the first rows.

import { existsSync } from 'node:fs'
import { compileMapping } from '../../mapping/mapping.ts'
import { openQuestions } from '../../mapping/open-questions.ts'
import type { Mapped } from '../../model/outcome.ts'
import { fieldDifferences, leavesOf } from '../../model/values.ts'
import { resolveLink } from '../../store/files/result-log.ts'
import { withQuestions } from '../draft/answers.ts'
import { draftOf } from '../draft/draft.ts'
import { outlineOf } from '../draft/draft-json.ts'
import { settingsBy } from '../draft/opening.ts'
import { missingTexts } from '../worksheets/missing-texts.ts'
import { answerText } from '../worksheets/sheet-file.ts'
import { openSheet, textIn } from '../worksheets/table.ts'
import type { Guide } from './guide.ts'
import { redraft } from './kinds.ts'
import { describeOwn } from './language.ts'
import fieldNames from './page/texts/fields.json' with { type: 'json' }
import { changeReading } from './reading.ts'
import { faultOf, labelOf, mappedBy, valueText } from './samples.ts'
import { CallError, type Of, type Seen } from './server.ts'
import { type Drafted, worksheetFolder } from './sources.ts'

type Question = ReturnType<typeof outlineOf>['questions'][number]
type Asked = Omit<Question, 'lines'>
type Edit = NonNullable<Question['choices'][number]['edit']>[number]

const [mostRows, mostEffects, mostExamples] = [200, 3, 3]
const ofLine = 'line-'
const germanFields: Readonly<Record<string, { readonly de: string }>> = fieldNames
const germanRegions = new Intl.DisplayNames('de', { type: 'region' })

/** The questions of a draft that stand in a text as they were written. */
const questionsIn = (text: string, { facts, draft }: Drafted) =>
  outlineOf(facts, { ...draft, text, lines: withQuestions(text.split('\n'), draft.lines) }).questions

/** Puts the texts of edits in the place of their lines, from below. */
function edited(text: string, edits: readonly Edit[]): string {
  const lines = text.split('\n')
  for (const { lines: place, text } of [...edits].sort((a, b) => b.lines[0] - a.lines[0]))
    lines.splice(place[0] - 1, place[1] - place[0] + 1, ...text.split('\n').slice(0, -1))
  return lines.join('\n')
}

const rootOf = (path: string) => path.split('.')[0]

/** A text in which the questions about a column and a field are answered by what stands there, for a person chooses now. */
export function settled(text: string, column: string, path: string | undefined, drafted: Drafted): string {
  const isAbout = ({ id, columns }: Question) =>
    columns.includes(column) && (path === undefined ? columns.length === 1 : rootOf(id) === rootOf(path))
  const standing = questionsIn(text, drafted)
    .find(isAbout)
    ?.choices.find(choice => choice.default)
  return standing?.edit ? settled(edited(text, standing.edit), column, path, drafted) : text
}

/** The questions with values of the file, and for each choice the fields of the first rows that differ under it. */
export async function questionsView({ file }: Of, { known, mappings }: Guide) {
  const { version, text, mapping, facts } = await known.read(file)
  const drafted = questionsIn(text, known.draftFor(facts, mapping?.record))
  const rows = facts.rows.kept.slice(0, mostRows)
  async function endsBy(text: string) {
    try {
      return (await mappedBy(compileMapping('mapping', text, ''), rows, mappings)).map(endOf)
    } catch {
      return [] // it has a fault
    }
  }
  const before = await endsBy(text)

  async function choiceView({ id, default: isDefault, edit }: Question['choices'][number], label: string) {
    const after = isDefault ? before : edit && (await endsBy(edited(text, edit)))
    const effect = (after ? rows : []).flatMap(({ row }, at) => {
      const all = fieldDifferences(before[at], after?.[at])
      const first = all.find(({ path }) => path === 'left_out' || path === 'invalid') ?? all[0]
      if (first === undefined) return []
      const { path, expected = '', received = '' } = first
      return { row, path, label: labelOf(path), before: valueText(expected), after: valueText(received) }
    })
    return { id, label, isDefault, effect: effect.slice(0, mostEffects) }
  }

  async function viewOf(question: Asked) {
    const { id, columns } = question
    const about = facts.columns.filter(({ name }) => columns.includes(name))
    const examples = about.flatMap(({ samples }) => [...samples].slice(0, mostExamples))
    const { text, labelOf } = wordsOf(question)
    const choices = await Promise.all(question.choices.map(choice => choiceView(choice, labelOf(choice))))
    return { id, text, columns, examples, choices }
  }

  const questions = await Promise.all([...drafted, ...editedQuestions(text, drafted)].map(viewOf))
  return { version, questions }
}

/** The words of a question in the language of the page, which are chosen by its id and those of its choices. */
function wordsOf({ id, text, columns, choices }: Asked) {
  const ids = choices.map(choice => choice.id)
  const country = ids.find(each => /^[A-Z]{2}$/.test(each)) ?? 'ZZ'
  const english = asked(text)
  const params = {
    ...{ text: english, field: germanFields[id]?.de ?? labelOf(id), country: germanRegions.of(country) },
    columns: columns.map(name => `„${name}“`).join(', '),
  }
  const own = (code: string, kind: string, id?: string) => describeOwn(code, { ...params, kind, id })
  const kind = `${id} ${ids}`
  return {
    text: own('question', kind) || english,
    labelOf: ({ id, label }: Asked['choices'][number]) => own('choice', `${kind}: ${id}`, id) || label,
  }
}

/** A question without what to do in a file of YAML, which its choices do. */
const asked = (text: string) =>
  text.replace(/\s*([^.?!]*\b(put this in|is drafted with:)|Take one of these).*$/s, '')

/** The leaves of a body, or why there is none. */
function endOf(mapped: Mapped | undefined): Readonly<Record<string, unknown>> {
  if (mapped === undefined) return { left_out: '✓' }
  if (!('body' in mapped)) return { invalid: faultOf(mapped) ?? '' }
  return Object.fromEntries(leavesOf(mapped.body).map(({ path, value }) => [path, value]))
}

/** Questions whose lines somebody edited; they can be called settled. */
function editedQuestions(text: string, drafted: readonly Question[]) {
  const choices = [{ id: 'settled', label: 'It is right as it stands', default: true, edit: [] }]
  return openQuestions('', text).flatMap(({ place, text: words }) => {
    const line = Number(place.slice(1))
    const isKnown = drafted.some(({ lines: [from, to] }) => line >= from && line <= to)
    return isKnown ? [] : [{ id: ofLine + line, text: words, columns: [], choices }]
  })
}

/** Writes an answer into the mapping, as `init --answer` does. Throws a CallError or a UsageError. */
export async function answer(
  { id, choice, ...seen }: Seen & Readonly<Record<'id' | 'choice', string>>,
  guide: Guide,
) {
  if (id === 'record') return redraft(seen, choice, guide)
  const { known, mappings } = guide
  const { file, version } = seen
  const read = await known.read(file)
  const { facts } = known.draftFor(read.facts, read.mapping?.record)
  const { rows: name, header } = settingsBy({ column: id, path: choice }, facts) ?? {}
  if (name) return changeReading({ ...seen, change: { type: 'rows', name } }, guide)
  if (header) return changeReading({ ...seen, change: { ...header, type: 'header' } }, guide)
  return mappings.edit(file, version, existing => {
    if (!id.startsWith(ofLine)) return draftOf(facts, [{ column: id, path: choice }], { existing }).text
    const lines = existing.split('\n')
    const at = Number(id.slice(ofLine.length)) - 1
    return lines.with(at, (lines[at] ?? '').replace('# ?', '#')).join('\n') // what it said stays as a comment
  })
}

async function sheetsOf(file: string, { known, mappings }: Guide) {
  const { mapping } = await known.compiled(file)
  return [...(mapping ? missingTexts(mapping) : [])].flatMap(([name, { file, header }]) => {
    const path = mappings.inFolder(worksheetFolder, name)
    return file === `${worksheetFolder}/${name}` && existsSync(path) ? { name, path, header } : []
  })
}

export async function worksheetViews({ file }: Of, guide: Guide) {
  const sheets = await sheetsOf(file, guide)
  const worksheets = await Promise.all(
    sheets.map(async ({ name, path, header: [key = '', answer = ''] }) => {
      const { columns, rows } = await openSheet(path)
      const header = [key, answer, ...columns.filter(column => column !== key && column !== answer)]
      const cells = (await rows()).map(row => header.map(column => textIn(row, column)))
      const texts = cells.filter(([text]) => text !== '')
      return { name, header, rows: texts, missing: texts.filter(([, use]) => use === '').length }
    }),
  )
  return { worksheets }
}

/** Fills in a cell of a worksheet; its row is named by the first one. Throws a CallError, of `conflict` if the table was saved elsewhere meanwhile. */
export async function fillIn(
  { file, worksheet: name, row, value }: Of & Readonly<Record<'worksheet' | 'row' | 'value', string>>,
  guide: Guide,
) {
  const sheet = (await sheetsOf(file, guide)).find(each => each.name === name)
  if (sheet === undefined) throw new CallError('outside', `${file} has no worksheet ${name}`)
  const path = await resolveLink(sheet.path)
  const isDone = await answerText(path, sheet.header, row, value).catch(error => {
    throw error.code === 'EBUSY' ? new CallError('conflict', `${name} was saved elsewhere meanwhile`) : error
  })
  if (!isDone) throw new CallError('bad_call', `${name} has no row "${row}"`)
  return {}
}
