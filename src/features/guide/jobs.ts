import type { CliContext } from '../../cli/context.ts'
import type { SettingSources } from '../../settings/settings.ts'
import type { FileState, JobState } from './api.ts'
import type { Service } from './service.ts'

/** The checks, trials and runs that the page starts, one at a time. */
export class Jobs {
  readonly context: CliContext
  readonly layers: SettingSources
  readonly service: Service

  constructor(context: CliContext, layers: SettingSources, service: Service) {
    this.context = context
    this.layers = layers
    this.service = service
  }

  get state(): JobState | null {
    return null
  }

  /** What the files of a source's log, corrections and approval say. */
  async fileState(_source: string): Promise<Pick<FileState, 'log' | 'corrected' | 'approval'>> {
    return { log: null, corrected: null, approval: null }
  }

  get isRunning(): boolean {
    return this.state?.status === 'running' || this.state?.status === 'stopping'
  }

  /** Stops the job that is on, and waits for its end. */
  async close(): Promise<void> {}
}
