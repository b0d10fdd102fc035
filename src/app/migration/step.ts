import { resolveLink } from '../../journal/result-log.ts'
import type { Mapping } from '../../mapping/mapping.ts'
import type { ImportPart } from '../../report/command-end.ts'
import { exitCodeOfThrown, exitCodes } from '../exit-code.ts'
import { placeOf } from '../file-conflicts.ts'
import type { ImportEnd } from '../import-end.ts'
import type { PreparedImport } from '../prepare.ts'
import type { ImportSettings } from '../settings.ts'

export interface LoadedStep {
  readonly name: string
  readonly sources: readonly string[]
  readonly settings: ImportSettings
  /** The path of its result log; `place` is equal for all paths of that file. */
  readonly results: string
  readonly place: string
  readonly mapping: Mapping
  /** The step in summary and page. */
  readonly asked: ImportPart['asked']
}

export interface Step extends LoadedStep {
  /** The steps that must end before this one, those of its lookups included. */
  readonly needs: readonly string[]
  readonly looksUpIn: readonly string[]
}

export interface PreparedStep extends Step {
  readonly prepared: PreparedImport
}

export const stepAt = (steps: readonly Step[], place: string): string | undefined =>
  steps.find(step => step.place === place)?.name

/** Equal for all paths of one result log, through links, whether it exists yet or not. */
export const placeOfLog = async (path: string): Promise<string> => placeOf(await resolveLink(path))

export type StepEnd =
  | { readonly type: 'ended'; readonly step: PreparedStep; readonly end: ImportEnd }
  | { readonly type: 'refused'; readonly step: PreparedStep; readonly error: unknown }
  | { readonly type: 'not_started'; readonly step: PreparedStep }

/** Later steps may start after bad rows, which the next run tries again. */
export const isDone = (end: StepEnd): boolean => end.type === 'ended' && end.end.exitCode <= exitCodes.someBad

/** A plan ends like the step that stopped it, or like the worst of its steps. */
export const exitCodeOfPlan = (ends: readonly StepEnd[]): number => Math.max(...ends.map(exitCodeOfStep))

function exitCodeOfStep(end: StepEnd): number {
  if (end.type === 'ended') return end.end.exitCode
  return end.type === 'refused' ? exitCodeOfThrown(end.error) : exitCodes.finished
}
