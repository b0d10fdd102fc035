import { type AnyProblem, RowliftError, type StopReason } from '../model/errors.ts'
import type { Unmet } from '../model/expectations.ts'
import { capital } from './text.ts'
import { fileWords } from './words/file-words.ts'
import { rowWords } from './words/row-words.ts'
import { lockWords, logWords, stopWords, unmetWords } from './words/run-words.ts'
import { blankOf, type Catalogue, commandFace, type Face, partsOf, sentenceOf } from './words/sentence.ts'
import { sourceWords } from './words/source-words.ts'
import { usageWords } from './words/usage-words.ts'

export { describeProblem } from './words/row-words.ts'
export { type Face, libraryFace } from './words/sentence.ts'

/**
 * The one catalogue of sentences: codes and parameters come in, a sentence goes out. Nothing reads a sentence back.
 * Codes are stable once released; sentences may change.
 */
export const catalogues = {
  rows: rowWords,
  files: fileWords,
  usage: usageWords,
  sources: sourceWords,
  log: logWords,
  lock: lockWords,
  stops: stopWords,
  expectations: unmetWords,
}

const { stops, expectations, ...others } = catalogues
const catalogue = Object.assign({}, ...Object.values(others)) as Catalogue<Record<string, never>>

/** The sentence of an error that ends a command; any other error is a defect. */
export function describeError(error: unknown, face: Face = commandFace): string {
  if (error instanceof RowliftError) return sentenceOf(catalogue, error.problem as AnyProblem, face)
  return describeStop({ code: 'defect', params: { error } })
}

/** The sentence of a row's code with … in the place of its parameters; undefined for a code of another version. */
export function describeCode(code: string): string | undefined {
  if (!described.has(code)) {
    const parts = explainCode('rows', code, () => '…')?.filter(part => part !== '…')
    described.set(code, parts?.join('; '))
  }
  return described.get(code)
}

/** Asked for each row without a record. */
const described = new Map<string, string | undefined>()

/** What a code means and how to fix it, with a text for each parameter that `known` does not have. */
export function explainCode(
  group: keyof typeof catalogues,
  code: string,
  textOf: (name: string) => string,
  known: object = {},
): readonly string[] | undefined {
  const words = catalogues[group] as Catalogue<Record<string, never>>
  if (!Object.hasOwn(words, code)) return undefined
  return partsOf(words, { code, params: blankOf('', textOf, known) }, commandFace)
}

export const describeUnmet = (unmet: Unmet, face: Face = commandFace): string =>
  sentenceOf(unmetWords, unmet, face)

export function describeStop(reason: StopReason, face: Face = commandFace): string {
  const [what, fix] = partsOf(stopWords, reason, face)
  return fix === undefined ? String(what) : `${what}. ${capital(fix)}.`
}
