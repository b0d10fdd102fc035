import { UsageError } from '../../model/errors.ts'
import type { Pair } from '../../settings/option-values.ts'
import { type Choice, isQuestion, isText, type Line, plainLines, type Question } from './lines.ts'
import { flow, word } from './yaml.ts'

/** The id of a question, and that of a choice. */
export type Answer = Pair

/** What a choice puts in the place of each line; undefined for a line that stays. Lookups and groups that it needs are taken in. */
export function changesBy(lines: readonly Line[], question: Question, { part }: Choice) {
  const own = part.lines.flatMap(plainLines)
  const lookups = Object.entries({ ...part.used, ...part.lookups }).flatMap(([name, spec = null]) => {
    const line = `${word(name)}: ${flow(spec)}`
    return ['# lookups:', `#   ${line}`, `  # ${line}`]
  })
  const taken = own.length > 0 ? [...question.under, ...lookups] : []
  return lines.map((line): readonly string[] | undefined => {
    if (line === question) return own
    return isText(line) && taken.includes(line) ? [line.replace('# ', '')] : undefined
  })
}

/** Puts a choice in the place of its question. Throws a UsageError that names those there are, or the field that another answer took. */
export function answered(lines: readonly Line[], { column: id, path: choice }: Answer): readonly Line[] {
  const open = lines.filter(isQuestion)
  const question = open.find(each => each.id === id)
  if (question === undefined) throw new UsageError('unknown_question', { id, known: idsOf(open) })
  const chosen = question.choices.find(each => each.id === choice)
  if (chosen === undefined)
    throw new UsageError('unknown_choice', { id, choice, known: idsOf(question.choices) })
  const fieldsOf = (all: readonly Line[]) =>
    all.filter(isText).flatMap(line => /^ {2}\w+(?=:)/.exec(line)?.[0] ?? [])
  const taken = fieldsOf(chosen.part.lines).find(field => fieldsOf(lines).includes(field))
  if (taken !== undefined) throw new UsageError('field_taken', { id, choice, field: taken.trim() })
  const changes = changesBy(lines, question, chosen)
  return lines.flatMap((line, at): readonly Line[] => changes[at] ?? [line])
}

const idsOf = (all: readonly { readonly id: string }[]) =>
  all.length > 0 ? all.map(({ id }) => id) : ['none']

/** Numbers the questions whose id others have, too. */
export const numbered = (lines: readonly Line[]): Line[] =>
  lines.map((line, at) => {
    const isAlike = (other: Line) => isQuestion(other) && isQuestion(line) && other.id === line.id
    const before = lines.slice(0, at).filter(isAlike).length
    return isText(line) || before === 0 ? line : { ...line, id: `${line.id}-${before + 1}` }
  })

/** Puts other lines in the place of some that stand there one after the other. */
export function replaced(lines: readonly Line[], old: readonly Line[], now: readonly Line[]) {
  const at = lines.findIndex((_, from) => old.every((line, index) => line === lines[from + index]))
  return at < 0 || old.length === 0 ? lines : lines.toSpliced(at, old.length, ...now)
}

/** The lines of a file, with the questions of a draft that stand there as they were written. */
export const withQuestions = (file: readonly Line[], draft: readonly Line[]): readonly Line[] =>
  draft.filter(isQuestion).reduce((lines, each) => replaced(lines, each.lines, [each]), file)
