// Step "Questions": those of the draft that still stand in the mapping, with what each answer changes in the first rows.
import { openQuestions } from '../../mapping/open-questions.ts'
import type { Mapped } from '../../model/outcome.ts'
import { fieldDifferences, leavesOf } from '../../model/values.ts'
import { withQuestions } from '../draft/answers.ts'
import { type Draft, draftOf } from '../draft/draft.ts'
import { outlineOf } from '../draft/draft-json.ts'
import type { FileFacts } from '../draft/drafts.ts'
import { isOtherList } from '../draft/opening.ts'
import type { Guide } from './guide.ts'
import { redraft } from './kinds.ts'
import { describeOwn } from './language.ts'
import fieldNames from './page/texts/fields.json' with { type: 'json' }
import { changeReading } from './reading.ts'
import { faultOf, labelOf, mappedByText, valueText } from './samples.ts'
import type { Seen } from './views.ts'

type Question = ReturnType<typeof outlineOf>['questions'][number]
type Asked = Omit<Question, 'lines'>
type Edit = NonNullable<Question['choices'][number]['edit']>[number]

const [mostRows, mostEffects, mostExamples] = [200, 3, 3]
const ofLine = 'line-'
const germanFields: Readonly<Record<string, { readonly de: string }>> = fieldNames
const germanRegions = new Intl.DisplayNames('de', { type: 'region' })

/** The questions of a draft that stand in a text as they were written. */
const questionsIn = (text: string, facts: FileFacts, draft: Draft) =>
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
export function settled(
  text: string,
  column: string,
  path: string | undefined,
  facts: FileFacts,
  draft: Draft,
): string {
  const isAbout = ({ id, columns }: Question) =>
    columns.includes(column) && (path === undefined ? columns.length === 1 : rootOf(id) === rootOf(path))
  const standing = questionsIn(text, facts, draft)
    .find(isAbout)
    ?.choices.find(choice => choice.default)
  return standing?.edit ? settled(edited(text, standing.edit), column, path, facts, draft) : text
}

/** The questions with values of the file, and for each choice the fields of the first rows that differ under it. */
export async function questionsView(file: string, { known, mappings }: Guide) {
  const { version, text } = await known.compiled(file)
  const [facts, draft] = [await known.facts(file), await known.draft(file)]
  const rows = facts.rows.kept.slice(0, mostRows)
  const endsBy = async (text: string) => (await mappedByText(text, rows, mappings).catch(() => [])).map(endOf)
  const [before, drafted] = [await endsBy(text), questionsIn(text, facts, draft)]

  async function choiceView({ id, default: isDefault, edit }: Question['choices'][number], label: string) {
    const after = isDefault ? before : edit && (await endsBy(edited(text, edit)))
    const effect = (after ? rows : []).flatMap(({ row }, at) => {
      const all = fieldDifferences(before[at], after?.[at])
      const first = all.find(({ path }) => path === 'left_out' || path === 'invalid') ?? all[0]
      const said = (value: unknown) => (value === undefined ? '' : valueText(value))
      if (first === undefined) return []
      const { path, expected, received } = first
      return { row, path, label: labelOf(path), before: said(expected), after: said(received) }
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
const asked = (text: string) => text.replace(/\s*([^.?!]*\bput this in\b|Take one of these).*$/s, '')

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
export async function answer(seen: Seen, id: string, choice: string, guide: Guide) {
  if (id === 'record') return redraft(seen, choice, guide)
  const { known, mappings } = guide
  const { file, version } = seen
  const { record } = (await known.draft(file)).mapping
  const facts = known.factsFor(await known.facts(file), record)
  if (isOtherList({ column: id, path: choice }, facts))
    return changeReading(seen, { type: 'rows', name: choice }, guide)
  return mappings.edit(file, version, existing => {
    if (!id.startsWith(ofLine)) return draftOf(facts, [{ column: id, path: choice }], { existing }).text
    const lines = existing.split('\n')
    const at = Number(id.slice(ofLine.length)) - 1
    return lines.with(at, (lines[at] ?? '').replace('# ?', '#')).join('\n') // what it said stays as a comment
  })
}
