// Step "Questions": those of the draft that still stand in the mapping, with what each answer changes in the first rows.
import { openQuestions } from '../../mapping/open-questions.ts'
import type { Row } from '../../model/row.ts'
import { fieldDifferences } from '../../model/values.ts'
import { withQuestions } from '../draft/answers.ts'
import type { FileFacts } from '../draft/columns/survey.ts'
import { type Draft, draftOf } from '../draft/draft.ts'
import { draftJson } from '../draft/draft-json.ts'
import type { QuestionChoice, QuestionView } from './api.ts'
import type { Guide } from './guide.ts'
import { redraft } from './kinds.ts'
import { bodiesOf, faultOf, labelOf, valueText } from './samples.ts'

/** A question of `init --json`. */
interface Drafted {
  readonly id: string
  readonly text: string
  readonly lines: readonly [number, number]
  readonly columns: readonly string[]
  readonly choices: readonly {
    readonly id: string
    readonly label: string
    readonly default: boolean
    readonly edit: readonly Edit[]
  }[]
}

/** Puts a text in the place of some lines. */
interface Edit {
  readonly lines: readonly [number, number]
  readonly text: string
}

const mostRows = 200
const mostEffects = 3
const mostExamples = 3
const ofLine = 'line-'

/** The questions of a draft that stand in a text as they were written. */
const questionsIn = (text: string, facts: FileFacts, draft: Draft): readonly Drafted[] =>
  JSON.parse(draftJson(facts, { ...draft, text, lines: withQuestions(text.split('\n'), draft.lines) })).questions

function edited(text: string, edits: readonly Edit[]): string {
  const lines = text.split('\n')
  for (const {
    lines: [from, to],
    text,
  } of [...edits].sort((a, b) => b.lines[0] - a.lines[0]))
    lines.splice(from - 1, to - from + 1, ...text.split('\n').slice(0, -1))
  return lines.join('\n')
}

const rootOf = (path: string) => path.split('.')[0]

/** A text in which the questions about a column and its field are answered by what stands there: a person chooses now. */
export function settled(
  text: string,
  column: string,
  path: string | undefined,
  facts: FileFacts,
  draft: Draft,
): string {
  const isAbout = ({ id, columns }: Drafted) =>
    (columns.includes(column) || columns.length === 0) &&
    (path === undefined ? columns.length === 1 : rootOf(id) === rootOf(path))
  const question = questionsIn(text, facts, draft).find(isAbout)
  const standing = question?.choices.find(choice => choice.default)
  return standing ? settled(edited(text, standing.edit), column, path, facts, draft) : text
}

export async function questionsView(file: string, { known, mappings }: Guide) {
  const { version, text } = await known.compiled(file)
  const [facts, draft] = [await known.facts(file), await known.draft(file)]
  const rows = facts.rows.kept.slice(0, mostRows)
  const bodies = (now: string) => bodiesOf(now, rows, mappings).catch(() => [])
  const before = await bodies(text)
  const questions: QuestionView[] = []
  const drafted = questionsIn(text, facts, draft)
  for (const { id, text: words, columns, choices } of drafted) {
    const views: QuestionChoice[] = []
    for (const choice of choices) {
      const after = choice.default ? before : await bodies(edited(text, choice.edit))
      const { id, label, default: isDefault } = choice
      views.push({ id, label, isDefault, effect: effectOf(rows, before, after) })
    }
    questions.push({ id, text: words, columns, examples: examplesOf(facts, columns), choices: views })
  }
  return { version, questions: [...questions, ...leftIn(text, drafted)] }
}

const examplesOf = ({ columns }: FileFacts, names: readonly string[]): string[] =>
  columns
    .filter(({ name }) => names.includes(name))
    .flatMap(({ samples }) => [...samples].slice(0, mostExamples))

/** Questions whose lines somebody edited: they can be called settled. */
function leftIn(text: string, drafted: readonly Drafted[]): QuestionView[] {
  const isKnown = (line: number) => drafted.some(({ lines: [from, to] }) => line >= from && line <= to)
  return openQuestions('', text).flatMap(({ place, text: words }) => {
    const line = Number(place.slice(1))
    const choices = [{ id: 'settled', label: 'It is right as it stands', isDefault: true, effect: [] }]
    return isKnown(line) ? [] : [{ id: ofLine + line, text: words, columns: [], examples: [], choices }]
  })
}

type Bodies = Awaited<ReturnType<typeof bodiesOf>>

/** The first rows of which something else becomes, one field of each. */
function effectOf(rows: readonly Row[], before: Bodies, after: Bodies): QuestionChoice['effect'] {
  const differing = rows.flatMap((row, at) => {
    const [old, now] = [endOf(before[at]), endOf(after[at])]
    const [first] = fieldDifferences(old, now)
    if (first === undefined) return []
    const label = first.path === '' ? '' : `${labelOf(first.path)}: `
    const said = (value: unknown) => (value === undefined ? '' : `${label}${valueText(value)}`)
    return [{ row: row.row, before: said(first.expected), after: said(first.received) }]
  })
  return differing.slice(0, mostEffects)
}

/** A body as JSON has it, or why there is none. */
function endOf(mapped: Bodies[number]): unknown {
  if (mapped === undefined) return { left_out: 'true' }
  return 'body' in mapped ? JSON.parse(JSON.stringify(mapped.body)) : { invalid: faultOf(mapped) ?? '' }
}

/** Writes an answer into the mapping, as `init --answer` does. Throws a CallError or a UsageError. */
export async function answer(file: string, version: string, id: string, choice: string, guide: Guide) {
  if (id === 'record') return redraft(file, version, choice, guide)
  const [facts, draft] = [await guide.known.facts(file), await guide.known.draft(file)]
  return guide.mappings.edit(file, version, text => {
    if (id.startsWith(ofLine)) return withoutQuestion(text, Number(id.slice(ofLine.length)))
    const { mapping, text: own } = draft
    const isForced = draftRecord(facts, own) !== mapping.record
    const now = isForced ? { ...facts, record: mapping.record, preset: undefined } : facts
    return draftOf(now, [{ column: id, path: choice }], { existing: text }).text
  })
}

const draftRecord = (facts: FileFacts, _text: string) => facts.record

/** Takes the comment of a question out, up to the end of its sentence. */
function withoutQuestion(text: string, line: number): string {
  const lines = text.split('\n')
  const own = lines.slice(line - 1)
  const isPart = (at: number) => /^\s*#/.test(own[at] ?? '') && !/[.?!:]$/.test(own[at - 1] ?? '')
  let count = 1
  while (isPart(count)) count += 1
  return lines.toSpliced(line - 1, count).join('\n')
}
