import type { CliContext } from '../../cli/context.ts'
import type { Jobs } from './jobs.ts'
import type { Mappings } from './mappings.ts'
import type { Service } from './service.ts'
import type { Sources } from './sources.ts'

/** What the calls of the page work with. Everything that lasts is in the files of the folder. */
export interface Guide {
  /** Its `cwd` is the folder. */
  readonly context: CliContext
  readonly mappings: Mappings
  readonly known: Sources
  readonly service: Service
  readonly jobs: Jobs
}
