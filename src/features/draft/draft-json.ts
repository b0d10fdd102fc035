// `rowlift init --json`: what a program or a page needs to show a draft, and to answer its questions.
import { parse } from 'yaml'
import { leavesOf } from '../../model/values.ts'
import { changesBy } from './answers.ts'
import type { Column } from './columns/column.ts'
import roleFields from './columns/role-fields.json' with { type: 'json' }
import { type Draft, draftOf } from './draft.ts'
import type { FileFacts } from './drafts.ts'
import { isQuestion, plainLines, type Question, textOf } from './lines.ts'
import { settingsBy } from './opening.ts'
import type { Explained } from './roles/match.ts'
import { quote } from './yaml.ts'

const mostExamples = 3
const leastShare = 0.1
const rounded = (share: number) => Math.round(share * 100) / 100

/** What `init --json` says, also for the page of the guide. */
export function outlineOf(file: FileFacts, draft: Draft) {
  const { name, settings, encoding } = file.source
  const { record } = draft.mapping
  const fields: Readonly<Record<string, string>> = roleFields[record]
  const columnOf = (column: Column, at: number) => {
    const known = draft.explained.find(each => each.column === column)
    const own = draft.mapping.columns.fieldsOf(column.name)
    return {
      ...{ name: column.name, index: at, ...valuesOf(column) },
      candidates: known?.roles.flatMap(match => candidateOf(match, fields[match.role]) ?? []) ?? [],
      fields: own,
      left_out: own.length > 0 ? null : (known?.reason ?? 'not mapped'),
    }
  }
  return {
    schema_version: 1,
    source: { name, format: settings.format ?? 'csv', encoding: encoding.name },
    record,
    preset: draft.explained.length === 0 ? (file.preset ?? null) : null,
    rows: { read: file.rows.rows, mapped: draft.counts.rows, refused: draft.counts.refused },
    mapping: draft.text,
    columns: file.columns.map(columnOf),
    questions: draft.lines.filter(isQuestion).map(question => questionOf(question, file, draft)),
  }
}

function valuesOf(column: Column) {
  const { samples, filled, rows } = column
  const [email, phone] = [column.share('emails'), column.share('phones')]
  const number = Math.max(column.share('number'), column.share('decimalComma'))
  const shares = { email, phone, url: column.share('url'), date: column.share('date'), number }
  const shapes = Object.entries(shares).filter(([, share]) => share >= leastShare)
  return {
    examples: [...samples].slice(0, mostExamples),
    filled: rounded(filled / Math.max(1, rows)),
    shapes: shapes.map(([shape, share]) => ({ shape, share: rounded(share) })),
  }
}

/** Undefined for a role that no field has. */
const candidateOf = ({ score, header, values }: Explained['roles'][number], field: string | undefined) =>
  field ? { field, score: rounded(score), by_name: rounded(header), by_values: rounded(values) } : undefined

/** `lines` are the first and the last one in the mapping, from 1; an edit puts its text in their place. One that reads the file anew has none. */
function questionOf(question: Question, file: FileFacts, { lines, mapping: { record }, text }: Draft) {
  const placeOf = (at: number): readonly [number, number] => {
    const before = lines.slice(0, at).flatMap(plainLines).length
    return [before + 1, before + lines.slice(at, at + 1).flatMap(plainLines).length]
  }
  const leaves = question.choices.flatMap(({ part }) => leavesOf(parse(textOf(part.lines))))
  const read = leaves.map(({ value }) => value)
  const isAbout = (name: string) => read.includes(name) || question.text.includes(quote(name))
  const standing = question.choices.at(-1)
  const choices = question.choices.map(choice => {
    const edit = changesBy(lines, question, choice).flatMap((now, at) =>
      now ? [{ lines: placeOf(at), text: now.map(line => `${line}\n`).join('') }] : [],
    )
    const isOther = question.id === 'record' && choice !== standing
    const other = isOther && draftOf({ ...file, record: record === 'contact' ? 'task' : 'contact' })
    const whole = other && [{ lines: [1, text.split('\n').length - 1] as const, text: other.text }]
    const isReadAnew = settingsBy({ column: question.id, path: choice.id }, file) !== undefined
    const made = isReadAnew ? null : whole || edit
    return { id: choice.id, label: choice.label, default: choice === standing, edit: made }
  })
  return {
    ...{ id: question.id, text: question.text, lines: placeOf(lines.indexOf(question)) },
    columns: file.columns.map(({ name }) => name).filter(isAbout),
    choices,
  }
}
