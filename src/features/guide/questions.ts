// Step "Questions": those of the draft that still stand in the mapping, with what each answer changes in the first rows.
import { openQuestions } from '../../mapping/open-questions.ts'
import type { Mapped } from '../../model/outcome.ts'
import { fieldDifferences, leavesOf } from '../../model/values.ts'
import { withQuestions } from '../draft/answers.ts'
import type { FileFacts } from '../draft/columns/survey.ts'
import { type Draft, draftOf } from '../draft/draft.ts'
import { draftJson } from '../draft/draft-json.ts'
import type { QuestionChoice, QuestionView } from './api.ts'
import type { Guide } from './guide.ts'
import { redraft } from './kinds.ts'
import { faultOf, labelOf, mappedByText, valueText } from './samples.ts'
import { factsOfRecord } from './sources.ts'

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

const [mostRows, mostEffects, mostExamples] = [200, 3, 3]
const ofLine = 'line-'

/** The questions of a draft that stand in a text as they were written. */
const questionsIn = (text: string, facts: FileFacts, draft: Draft): readonly Drafted[] =>
  JSON.parse(draftJson(facts, { ...draft, text, lines: withQuestions(text.split('\n'), draft.lines) }))
    .questions

function edited(text: string, edits: readonly Edit[]): string {
  const lines = text.split('\n')
  const upwards = [...edits].sort((a, b) => b.lines[0] - a.lines[0])
  for (const {
    lines: [from, to],
    text,
  } of upwards)
    lines.splice(from - 1, to - from + 1, ...text.split('\n').slice(0, -1))
  return lines.join('\n')
}

const rootOf = (path: string) => path.split('.')[0]

/** A text in which the questions about a column and a field are answered by what stands there, for a person chooses now. */
export function settled(
  text: string,
  column: string,
  path: string | undefined,
  facts: FileFacts,
  draft: Draft,
): string {
  const isAbout = ({ id, columns }: Drafted) =>
    columns.includes(column) && (path === undefined ? columns.length === 1 : rootOf(id) === rootOf(path))
  const standing = questionsIn(text, facts, draft)
    .find(isAbout)
    ?.choices.find(choice => choice.default)
  return standing ? settled(edited(text, standing.edit), column, path, facts, draft) : text
}

export async function questionsView(file: string, { known, mappings }: Guide) {
  const { version, text } = await known.compiled(file)
  const [facts, draft] = [await known.facts(file), await known.draft(file)]
  const rows = facts.rows.kept.slice(0, mostRows)
  const endsBy = async (text: string) => (await mappedByText(text, rows, mappings).catch(() => [])).map(endOf)
  const [before, drafted] = [await endsBy(text), questionsIn(text, facts, draft)]

  async function choiceView({
    id,
    label,
    default: isDefault,
    edit,
  }: Drafted['choices'][number]): Promise<QuestionChoice> {
    const after = isDefault ? before : await endsBy(edited(text, edit))
    const effect = rows.flatMap(({ row }, at) => {
      const [first] = fieldDifferences(before[at], after[at])
      const said = (value: unknown) =>
        value === undefined ? '' : `${labelOf(first?.path ?? '')}: ${valueText(value)}`
      return first ? { row, before: said(first.expected), after: said(first.received) } : []
    })
    return { id, label, isDefault, effect: effect.slice(0, mostEffects) }
  }

  async function viewOf({ id, text, columns, choices }: Drafted): Promise<QuestionView> {
    const about = facts.columns.filter(({ name }) => columns.includes(name))
    const examples = about.flatMap(({ samples }) => [...samples].slice(0, mostExamples))
    return { id, text: asked(text), columns, examples, choices: await Promise.all(choices.map(choiceView)) }
  }

  const views = await Promise.all(drafted.map(viewOf))
  return { version, questions: [...views, ...editedQuestions(text, drafted)] }
}

/** A question without what to do in a file of YAML, which its choices do. */
const asked = (text: string) => text.replace(/\s*([^.?!]*\bput this in\b|Take one of these).*$/s, '')

/** The leaves of a body, or why there is none. */
function endOf(mapped: Mapped | undefined): Readonly<Record<string, unknown>> {
  if (mapped === undefined) return { left_out: 'true' }
  if (!('body' in mapped)) return { invalid: faultOf(mapped) ?? '' }
  return Object.fromEntries(leavesOf(mapped.body).map(({ path, value }) => [path, value]))
}

/** Questions whose lines somebody edited; they can be called settled. */
function editedQuestions(text: string, drafted: readonly Drafted[]): QuestionView[] {
  const choices = [{ id: 'settled', label: 'It is right as it stands', isDefault: true, effect: [] }]
  return openQuestions('', text).flatMap(({ place, text: words }) => {
    const line = Number(place.slice(1))
    const isKnown = drafted.some(({ lines: [from, to] }) => line >= from && line <= to)
    return isKnown ? [] : [{ id: ofLine + line, text: words, columns: [], examples: [], choices }]
  })
}

/** Writes an answer into the mapping, as `init --answer` does. Throws a CallError or a UsageError. */
export async function answer(file: string, version: string, id: string, choice: string, guide: Guide) {
  if (id === 'record') return redraft(file, version, choice, guide)
  const facts = await guide.known.facts(file)
  const { record } = (await guide.known.draft(file)).mapping
  const own = guide.known.draftFor(facts).mapping.record === record ? facts : factsOfRecord(facts, record)
  return guide.mappings.edit(file, version, existing => {
    if (!id.startsWith(ofLine)) return draftOf(own, [{ column: id, path: choice }], { existing }).text
    const lines = existing.split('\n')
    const at = Number(id.slice(ofLine.length)) - 1
    return lines.with(at, (lines[at] ?? '').replace('# ?', '#')).join('\n') // what it said stays as a comment
  })
}
