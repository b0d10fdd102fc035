import {
  type AnyProblem,
  type LockProblems,
  type LogProblems,
  RowliftError,
  type SourceProblems,
  type StopReason,
  type UsageProblems,
} from '../model/errors.ts'
import type { FileProblems, RowProblems } from '../model/problem.ts'
import { fileWords } from './words/file-words.ts'
import { rowWords } from './words/row-words.ts'
import { lockWords, logWords, sourceWords, stopWords } from './words/run-words.ts'
import { type Catalogue, commandFace, type Face, sentenceOf } from './words/sentence.ts'
import { usageWords } from './words/usage-words.ts'

export { describeProblem } from './words/row-words.ts'
export { commandFace, type Face, libraryFace } from './words/sentence.ts'

/**
 * The one catalogue of sentences: codes and parameters come in, a sentence goes out. Nothing reads a sentence back.
 * Codes are stable once released; sentences may change.
 */
export const catalogue: Catalogue<
  RowProblems & FileProblems & UsageProblems & SourceProblems & LogProblems & LockProblems
> = { ...rowWords, ...fileWords, ...usageWords, ...sourceWords, ...logWords, ...lockWords }

/** The sentence of an error that ends a command; of any other error, its message. */
export function describeError(error: unknown, face: Face = commandFace): string {
  if (error instanceof RowliftError) return sentenceOf(catalogue, error.problem as AnyProblem, face)
  return error instanceof Error ? error.message : String(error)
}

/** The sentence of a row's code with … in the place of its parameters; undefined for a code of another version. */
export function describeCode(code: string, blank: (name: string) => string = () => '…'): string | undefined {
  if (!Object.hasOwn(catalogue, code)) return undefined
  const params = new Proxy({}, { get: (_, name) => new Blank(blank(String(name))) })
  return sentenceOf(catalogue, { code, params }, commandFace)
}

/** A parameter of which only the name is known: a list of one text, and that text wherever a text is needed. */
class Blank extends Array<string> {
  static override get [Symbol.species]() {
    return Array
  }
  constructor(text: string) {
    super()
    this.push(text)
  }
  trim() {
    return this[0]
  }
  replace() {
    return this[0]
  }
  toUpperCase() {
    return this[0]
  }
}

/** Why a run stopped, and what to do next. */
export const describeStop = (reason: StopReason, face: Face = commandFace): string =>
  sentenceOf(stopWords, reason, face)
