import { basename, resolve } from 'node:path'
import type { State } from './api.ts'
import type { Guide } from './guide.ts'

/** The state that every page shows, read from the files. `version` differs when anything in it does. */
export async function stateOf({ context: { cwd = '.' }, jobs }: Guide): Promise<State> {
  const path = resolve(cwd)
  return {
    folder: { name: basename(path), path },
    files: [],
    plan: null,
    service: { practice: true, baseUrl: null, organizationId: null, token: 'none' },
    job: jobs.state,
    version: '',
  }
}
