import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { ulid } from 'ulid'
import { ownerOnly } from '../../platform/replace-file.ts'
import { logCommand } from '../log-tools/command.ts'
import { afterCalls } from './after.ts'
import { agree } from './approvals.ts'
import type { Guide } from './guide.ts'
import { openFile } from './open-page.ts'
import { probeService } from './probe-service.ts'
import { linesOf } from './run-command.ts'
import { CallError } from './server.ts'
import { stateOf } from './state.ts'
import type { CorrectionOf, Of, RowsOf, ServiceChange } from './views.ts'

/** The calls of the steps from the check on: rows, trial, run, and what is left to do. */
export function deliverCalls(guide: Guide) {
  const { jobs, service, context, mappings } = guide
  const starting = (start: (file: string) => Promise<void> | void) => async (input: Of) => {
    await start(input.file)
    return {}
  }
  return {
    // jobs know the files of the command line alone
    check: starting(file => jobs.check(file)),
    try: starting(file => jobs.try(file)),
    run: starting(file => jobs.run(file)),
    /** Lets calls in flight end, then ends the job; the same call of `run` goes on from there. */
    async stop() {
      jobs.stop()
      return {}
    },
    rows: async (input: RowsOf) => jobs.rows(input),
    /** Puts a corrected row into the file of corrections, and checks it. */
    correct: async (input: CorrectionOf) => ({ row: await jobs.correct(input) }),
    /** Takes records out of the log after they were deleted in the service. */
    async forget({ file, keys }: Of & { readonly keys: readonly string[] }) {
      jobs.checkIdle()
      const tried = jobs.triedRows(file).map(({ key }) => key)
      if (!keys.every(key => tried.includes(key)))
        throw new CallError('bad_call', 'only rows of the last trial can be forgotten here')
      const list = join(tmpdir(), `rowlift-${ulid()}`)
      const flags = { forget: true, keys: list, yes: true }
      await writeFile(list, keys.map(key => `${key}\n`).join(''), { mode: ownerOnly, flag: 'wx' })
      await linesOf(logCommand, { positionals: [jobs.namesOf(file).log], flags }, context).finally(() =>
        rm(list),
      )
      jobs.noteForgotten(file, new Set(keys))
      return {}
    },
    /** `by` is the name of the second person, or of the same one. */
    async approve({ file, by }: Of & { readonly by: string }) {
      await agree(jobs.namesOf(file), String(by), context)
      return {}
    },
    async service(input: ServiceChange) {
      jobs.checkIdle()
      const { practice } = service
      service.change(input)
      if (service.practice !== practice) jobs.forgetTrials()
      return stateOf(guide)
    },
    async probe(input: Of) {
      jobs.checkIdle()
      return { lines: await probeService(guide, input.file) }
    },
    ...afterCalls(guide),
    /** Opens a page that a job wrote, in the browser. */
    async open({ name }: { readonly name: string }) {
      const page = mappings.imports
        .map(file => jobs.namesOf(file).report)
        .find(path => basename(path) === name)
      if (page === undefined) throw new CallError('outside', 'no job wrote such a page')
      openFile(page)
      return {}
    },
  }
}
