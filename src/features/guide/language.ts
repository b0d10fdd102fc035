// Sentences in the language of the page whose call is answered; a job that a call started goes on in it.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Problem } from '../../model/problem.ts'
import * as words from '../../output/words.ts'
import german from './words.de.json' with { type: 'json' }

const germanDialect = { ...words.commandDialect, entries: german }
const spoken = new AsyncLocalStorage<words.Dialect>()

/** Answers a call in the first of the languages that a browser accepts: German, or else English. */
export const speaking = <T>(accepted: string | undefined, answer: () => T): T =>
  spoken.run(/^de\b/i.test(accepted ?? '') ? germanDialect : words.commandDialect, answer)

/** The sentence about a problem of a row. */
export const describeProblem = (problem: Problem): string => words.describeProblem(problem, spoken.getStore())

/** The sentence of an error that ends a job or a call. */
export const describeError = (error: unknown): string => words.describeError(error, spoken.getStore())
