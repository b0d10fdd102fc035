// The unions of problems: their codes and parameters are derived from the catalogue of sentences, by its type alone.
import type { catalogues } from '../output/words/catalogue.ts'

type Catalogues = typeof catalogues

/** The names in braces of a text, with their marks. */
type Names<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never

/** A parameter without its mark; `output/words/sentence.ts` has the meaning of the marks. */
type Bare<Name extends string> = Name extends ` ${string}` | `{${string}` | `$${string}` | `--${string}`
  ? never
  : Name extends `${'#' | '@' | '?' | '-' | '...'}${infer Marked}`
    ? Marked extends `${infer List}|${string}`
      ? List
      : Marked
    : Name

interface ValueOf {
  '#': number
  '@': AnyProblem
  '?': string | undefined
  '.': readonly string[]
}
type Value<Name extends string> = Name extends `${infer Mark extends keyof ValueOf}${string}`
  ? ValueOf[Mark]
  : string

type ParamsOfTexts<Text> = { readonly [Name in Names<Text> as Bare<Name>]: Value<Name> }

/** The parameters of an entry: those that its function declares, or that its texts name. */
type ParamsOfEntry<Entry> = Entry extends (params: infer P, ...others: never[]) => unknown
  ? P
  : ParamsOfTexts<Entry extends readonly (infer Text)[] ? Text : Entry>

export type ProblemsOf<Group extends keyof Catalogues> = {
  readonly [Code in keyof Catalogues[Group]]: ParamsOfEntry<Catalogues[Group][Code]>
}
export type OneOf<P> = { readonly [C in keyof P]: { readonly code: C; readonly params: P[C] } }[keyof P]
type AnyProblem = { [Group in keyof Catalogues]: OneOf<ProblemsOf<Group>> }[keyof Catalogues]

/** Codes without parameters take none. */
export type ParamsOf<P, C extends keyof P> = keyof P[C] extends never ? [] | [P[C]] : [params: P[C]]

/** Reasons for which a row is refused or a call has no record: the codes in `errors` of the result log. */
export type RowProblems = ProblemsOf<'rows'>
export type ProblemCode = keyof RowProblems
export type Problem = OneOf<RowProblems>

type FileProblems = ProblemsOf<'files'>
export type FileProblem = OneOf<FileProblems>

export function problem<C extends ProblemCode>(
  code: C,
  ...[params]: ParamsOf<RowProblems, C>
): { readonly code: C; readonly params: RowProblems[C] } {
  return new RowProblem(code, params ?? ({} as RowProblems[C]))
}

/** A class, so that no value of a row is ever taken for a problem. */
class RowProblem<C extends ProblemCode> {
  readonly code: C
  readonly params: RowProblems[C]
  constructor(code: C, params: RowProblems[C]) {
    this.code = code
    this.params = params
  }
}

export type Describe = (problem: Problem) => string

export const isProblem = (value: unknown): value is Problem => value instanceof RowProblem

export function fileProblem<C extends keyof FileProblems>(
  code: C,
  ...[params]: ParamsOf<FileProblems, C>
): FileProblem {
  return { code, params: params ?? {} } as FileProblem
}
