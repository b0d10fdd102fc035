import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
import type { DeliverHandlers, Of } from './views.ts'

/** The calls of the steps from the check on: rows, trial, run, and what is left to do. */
export function deliverCalls(guide: Guide) {
  const { jobs, service, context, sources } = guide
  const starting = (start: (file: string) => Promise<void> | void) => async (input: Of) => {
    await start(input.file)
    return {}
  }
  return {
    // jobs know the files of the command line alone
    check: starting(file => jobs.check(file)),
    try: starting(file => jobs.try(file)),
    run: starting(file => jobs.run(file)),
    async stop() {
      jobs.stop()
      return {}
    },
    rows: async input => jobs.rows(input),
    correct: async input => ({ row: await jobs.correct(input) }),
    async forget({ file, keys }) {
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
    async approve({ file, by }) {
      await agree(jobs.namesOf(file), String(by), context)
      return {}
    },
    async service(input) {
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
    async open({ name }) {
      const page = sources.map(source => jobs.namesOf(source).report).find(path => path.endsWith(`/${name}`))
      if (page === undefined) throw new CallError('bad_call', 'no job wrote such a page')
      openFile(page)
      return {}
    },
  } satisfies DeliverHandlers
}
