import type { Mapping } from '../../mapping/mapping.ts'
import { placeOf } from '../../run/file-conflicts.ts'
import type { Step } from '../../run/plan.ts'
import { resolveLink } from '../../store/files/result-log.ts'

export interface LoadedStep extends Step {
  readonly name: string
  readonly mapping: Mapping
  /** The path of its result log; `place` is equal for all paths of that file. */
  readonly results: string
  readonly place: string
}

export interface MigrationStep extends LoadedStep {
  /** The steps that must end before this one, those of its lookups included. */
  readonly needs: readonly string[]
  readonly looksUpIn: readonly string[]
}

export const stepAt = (steps: readonly MigrationStep[], place: string): string | undefined =>
  steps.find(step => step.place === place)?.name

/** Equal for all paths of one result log, through links, whether it exists yet or not. */
export const placeOfLog = async (path: string): Promise<string> => placeOf(await resolveLink(path))
