// Sentences in the language of the page whose call is answered; a job that a call started goes on in it.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { StopReason } from '../../model/errors.ts'
import type { RunEvent } from '../../model/events.ts'
import type { Problem } from '../../model/problem.ts'
import { type Notices, news, warnings } from '../../output/words/notices.ts'
import * as words from '../../output/words.ts'
import { germanWords } from './german.ts'

const german: words.Dialect = {
  ...words.commandDialect,
  again: 'noch einmal versuchen',
  entries: germanWords,
}
const spoken = new AsyncLocalStorage<words.Dialect>()

/** Answers a call in the first of the languages that a browser accepts: German, or else English. */
export const speaking = <T>(accepted: string | undefined, answer: () => T): T =>
  spoken.run(/^de\b/i.test(accepted ?? '') ? german : words.commandDialect, answer)

/** The sentence about a problem of a row, or a reason to stop. */
export const describeProblem = (problem: Problem | StopReason): string =>
  words.describeProblem(problem as Problem, spoken.getStore())

/** The sentence of an error that ends a job or a call. */
export const describeError = (error: unknown): string => words.describeError(error, spoken.getStore())

/** The German sentence of a code that the catalogue lacks in English; undefined on English pages. */
export const describeOwn = (code: string, params: object): string | undefined =>
  spoken.getStore()?.entries?.[code] && describeProblem({ code, params } as Problem)

const notices: Notices = { ...news, ...warnings }

/** What happened in a run, as the command says it; undefined if a person need not know. */
export const describeEvent = (event: RunEvent): string | undefined =>
  describeOwn(`on_${event.type}`, event) ?? notices[event.type]?.(event as never)
