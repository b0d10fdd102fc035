import type { Mapping } from '../../mapping/mapping.ts'
import type { ImportSettings } from '../import-settings.ts'

/** One import of a migration. */
export interface Step {
  readonly name: string
  readonly sources: readonly string[]
  readonly settings: ImportSettings
  /** The path of its result log, and what all names of that file have in common. */
  readonly results: string
  readonly place: string
  /** The steps that must be done before, those among them whose records are looked up. */
  readonly needs: readonly string[]
  readonly looksUpIn: readonly string[]
  /** As it was when the plan was checked; the import reads it again. */
  readonly mapping: Mapping
}

/** The step whose result log has a place. */
export const stepAt = (steps: readonly Step[], place: string): string | undefined =>
  steps.find(step => step.place === place)?.name
