import { exitCodeOfThrown, exitCodes } from '../exit-code.ts'
import type { ImportEnd } from '../run-import.ts'
import type { Step } from './step.ts'

/** What became of a step. */
export type StepEnd =
  | { readonly is: 'ended'; readonly step: Step; readonly end: ImportEnd }
  /** It could not begin, for a reason that was thrown. */
  | { readonly is: 'refused'; readonly step: Step; readonly error: unknown }
  /** A step before it stopped the plan. */
  | { readonly is: 'not_begun'; readonly step: Step }

/** Whether the steps behind this one may begin: rows that came to nothing are for the next run to try again. */
export const isDone = (end: StepEnd): boolean => end.is === 'ended' && end.end.exitCode <= exitCodes.someBad

/** What a plan ends with: as the step that stopped it, else with the worst of its steps. */
export const exitCodeOfPlan = (ends: readonly StepEnd[]): number => Math.max(...ends.map(exitCodeOfStep))

/** What a step comes to; one that did not begin comes to nothing. */
export function exitCodeOfStep(end: StepEnd): number {
  if (end.is === 'ended') return end.end.exitCode
  return end.is === 'refused' ? exitCodeOfThrown(end.error) : exitCodes.finished
}
