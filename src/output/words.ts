import { raggedMark } from '../model/content-key.ts'
import { RowliftError, type StopReason } from '../model/errors.ts'
import type { Unmet } from '../model/expectations.ts'
import type { RowError } from '../model/outcome.ts'
import type { Problem, ProblemCode } from '../model/problem.ts'
import { capital } from './text.ts'
import { catalogues } from './words/catalogue.ts'
import {
  type Coded,
  choose,
  commandDialect,
  type Dialect,
  type Entry,
  fill,
  heldFile,
  valueText,
} from './words/sentence.ts'

export { catalogues } from './words/catalogue.ts'
export { commandDialect, type Dialect, libraryDialect, streamDialect } from './words/sentence.ts'

// Codes and parameters come in, a sentence goes out. Nothing reads a sentence back.
// Codes are stable once released; sentences may change.

const entries: Readonly<Record<string, Entry>> = Object.assign({}, ...Object.values(catalogues))

/** The parts of a sentence: what is wrong, and how to fix it. */
function partsOf({ code, params }: Coded, dialect: Dialect): readonly string[] {
  const { problem, texts, values } = choose(
    dialect.entries?.[heldFile(params) ? 'held_file' : code] ?? heldFile(params) ?? (entries[code] as Entry),
    params,
    dialect,
  )
  if (problem !== undefined) return partsOf(problem, dialect)
  const all: Readonly<Record<string, unknown>> = { ...params, ...values }
  const inner = typeof all.lookup === 'string' ? { ...dialect, lookup: all.lookup } : dialect
  const describe = (each: Coded) => sentenceOf(each, inner)
  return texts.map(text => fill(text, dialect, (name, joiner) => valueText(all[name], describe, joiner)))
}

const sentenceOf = (coded: Coded, dialect = commandDialect): string => partsOf(coded, dialect).join('; ')

/** Makes the sentence about a row's problem, or about an expectation that does not hold. */
export const describeProblem: (problem: Problem | Unmet, dialect?: Dialect) => string = sentenceOf

/** Makes the sentence of an error that ends a command; any other error is a defect. */
export const describeError = (error: unknown, dialect?: Dialect): string =>
  error instanceof RowliftError
    ? sentenceOf(error.problem, dialect)
    : describeStop({ code: 'defect', params: { error } })

export function describeStop(reason: StopReason, dialect: Dialect = commandDialect): string {
  const [what, fix] = partsOf(reason, dialect)
  return fix === undefined ? String(what) : `${what}. ${capital(fix)}.`
}

/** The texts of a row's code with … in the place of its parameters; undefined for a code of another version. */
export function textsOfCode(code: string, textOf = (_name: string) => '…'): readonly string[] | undefined {
  if (!Object.hasOwn(catalogues.rows, code)) return undefined
  return explain(catalogues.rows[code as ProblemCode], textOf).filter(text => text !== '…')
}

/** Makes a sentence of them. */
export const describeCode = (code: string): string | undefined => textsOfCode(code)?.join('; ')

/** The texts of an entry with a text for each parameter; `example` has those by which it chooses or computes. */
export function explain(entry: Entry, textOf: (name: string) => string, example?: object): string[] {
  const { texts = [], values } = choose(entry, example ?? {}, commandDialect)
  const computed = example === undefined ? {} : (values ?? {})
  const shown = (name: string) =>
    name in computed ? valueText(computed[name], problem => problem.code) : textOf(name)
  return texts.map(text => fill(text, commandDialect, shown))
}

/** The reason why a row was rejected, in one line: each fault, its place, and the answer of the service. */
export function rejectedReason(errors: readonly RowError[]): string {
  const reason = oneLine(errors.map(errorText).join('; '))
  return reason.startsWith(raggedMark.trimEnd()) ? `column ${reason}` : reason // or it would be read as a ragged row
}

/** The reason for a row whose cells do not fit its header; cells past the header have no column of their own. */
export function raggedReason(errors: readonly RowError[], extraCells: readonly string[], delimiter: string) {
  const extra = extraCells.length === 0 ? '' : oneLine(`; extra cells: ${extraCells.join(delimiter)}`)
  return `${raggedMark}fix the cells, then empty this one; the row ${rejectedReason(errors)}${extra}`
}

const errorText = (error: RowError): string => {
  const { column, path, body } = error
  const text = [column ?? path, describeProblem(error)].filter(Boolean).join(' ')
  return body ? `${text}: ${body}` : text
}

const oneLine = (text: string) => text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()
