import { resolveLink } from '../../journal/result-log.ts'
import type { Mapping } from '../../mapping/mapping.ts'
import { exitCodeOfThrown, exitCodes } from '../exit-code.ts'
import { placeOf } from '../file-conflicts.ts'
import type { PreparedImport } from '../prepare.ts'
import type { ImportEnd } from '../run.ts'
import type { ImportSettings } from '../settings.ts'

/** One import of a migration, as the plan file has it. */
export interface LoadedStep {
  readonly name: string
  readonly sources: readonly string[]
  readonly settings: ImportSettings
  /** The path of its result log, and what all names of that file have in common. */
  readonly results: string
  readonly place: string
  readonly mapping: Mapping
}

/** A step whose place in the order is known. */
export interface Step extends LoadedStep {
  /** The steps that must be done before, those included whose records are looked up. */
  readonly needs: readonly string[]
  readonly looksUpIn: readonly string[]
}

/** A step that can run. */
export interface PreparedStep extends Step {
  readonly prepared: PreparedImport
}

/** The step whose result log has a place. */
export const stepAt = (steps: readonly Step[], place: string): string | undefined =>
  steps.find(step => step.place === place)?.name

/** What all names of one result log have in common, through whatever links, whether it is there yet or not. */
export const placeOfLog = async (path: string): Promise<string> => placeOf(await resolveLink(path))

/** What became of a step. */
export type StepEnd =
  | { readonly is: 'ended'; readonly step: PreparedStep; readonly end: ImportEnd }
  /** It could not begin, for a reason that was thrown. */
  | { readonly is: 'refused'; readonly step: PreparedStep; readonly error: unknown }
  /** A step before it stopped the plan. */
  | { readonly is: 'not_begun'; readonly step: PreparedStep }

/** Whether the steps behind this one may begin: rows that came to nothing are for the next run to try again. */
export const isDone = (end: StepEnd): boolean => end.is === 'ended' && end.end.exitCode <= exitCodes.someBad

/** What a plan ends with: as the step that stopped it, else with the worst of its steps. */
export const exitCodeOfPlan = (ends: readonly StepEnd[]): number => Math.max(...ends.map(exitCodeOfStep))

/** What a step comes to; one that did not begin comes to nothing. */
export function exitCodeOfStep(end: StepEnd): number {
  if (end.is === 'ended') return end.end.exitCode
  return end.is === 'refused' ? exitCodeOfThrown(end.error) : exitCodes.finished
}
