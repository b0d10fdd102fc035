import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describeError } from '../../output/words.ts'
import { openColumns } from './columns.ts'
import type { Guide } from './guide.ts'
import { CallError } from './server.ts'
import { planName } from './sources.ts'
import type { FileState, State } from './views.ts'

/** A small file is drafted before the first state is sent; a large one goes on behind it. */
const longestWaitMs = 300

/** The state that every page shows, read from the files. `version` differs when anything in it does. */
export async function stateOf(guide: Guide): Promise<State> {
  const { context, sources, jobs, service, mappings } = guide
  const path = resolve(context.cwd ?? '.')
  const files = await Promise.all(sources.map(source => fileState(source, guide)))
  const state = {
    folder: { name: basename(path), path },
    files,
    plan: existsSync(mappings.inFolder(planName)) ? planName : null,
    service: service.state,
    job: jobs.state,
  }
  return { ...state, version: createHash('sha256').update(JSON.stringify(state)).digest('hex').slice(0, 16) }
}

async function fileState(source: string, guide: Guide): Promise<FileState> {
  const delivered = await guide.jobs.fileState(source)
  const none = { source, mapping: null, fault: null, record: null, canUndo: false, ...delivered }
  const nothing = { ...none, open: { columns: 0, questions: 0 } }
  const reading = readState(source, guide).catch(error => ({ fault: sentenceOf(error) }))
  const read = await Promise.race([reading, setTimeout(longestWaitMs, {}, { ref: false })])
  return { ...nothing, ...read }
}

async function readState(source: string, { known, mappings }: Guide): Promise<Partial<FileState>> {
  const { version, text, mapping, fault } = await known.compiled(source)
  const named = { mapping: { name: mappings.nameOf(source), version } }
  const canUndo = mappings.canUndo(source, version)
  if (mapping === undefined) return { ...named, canUndo, fault: fault ?? null }
  const open = openColumns(text, mapping, await known.facts(source))
  return {
    ...{ ...named, canUndo, record: mapping.record, fault: fault ?? null },
    open: { columns: open.length, questions: mapping.openQuestions.length },
  }
}

const sentenceOf = (error: unknown) => (error instanceof CallError ? error.message : describeError(error))
