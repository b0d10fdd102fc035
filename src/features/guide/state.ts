import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { RecordType } from '../../records/kinds.ts'
import type { Guide } from './guide.ts'
import { describeError } from './language.ts'
import { CallError } from './server.ts'
import { planName } from './sources.ts'

/** A small file is drafted before the first state is sent; a large one goes on behind it. */
const longestWaitMs = 300

/** The state that every page shows, read from the files. `version` differs when anything in it does. Faults are errors. */
export async function errorStateOf(guide: Guide) {
  const { context, jobs, service, mappings } = guide
  const path = resolve(context.cwd ?? '.')
  const files = await Promise.all(mappings.imports.map(file => fileState(file, guide)))
  const state = {
    folder: { name: basename(path), path },
    files,
    plan: existsSync(mappings.inFolder(planName)) ? planName : null,
    service: service.state,
    job: jobs.state,
  }
  return { ...state, version: createHash('sha256').update(JSON.stringify(state)).digest('hex').slice(0, 16) }
}

export type ErrorState = Awaited<ReturnType<typeof errorStateOf>>

/** The state with its faults in the language of a page. */
export function stateInWords({ files, ...state }: ErrorState) {
  return {
    ...state,
    files: files.map(file => ({ ...file, fault: file.fault ? sentenceOf(file.fault) : null })),
  }
}

export const stateOf = async (guide: Guide) => stateInWords(await errorStateOf(guide))

/** What a source and its mapping come to, as long as nothing is known of them. */
const unread = {
  /** Null while the file is read for the first time, and if it cannot be read: then `fault` is the error. */
  mapping: null as { readonly name: string; readonly version: string } | null,
  fault: undefined as unknown,
  record: null as RecordType | null,
  /** Columns without a decision, and questions of the draft. */
  open: { columns: 0, questions: 0 },
  canUndo: false,
}

async function fileState(source: string, guide: Guide) {
  const delivered = await guide.jobs.fileState(source)
  const reading = readState(source, guide).catch(error => ({ ...unread, fault: error }))
  const read = await Promise.race([reading, setTimeout(longestWaitMs, unread, { ref: false })])
  const name = guide.mappings.sourceOf(source)
  return { source, name, isSecond: name !== source, ...read, ...delivered }
}

async function readState(source: string, { known, mappings }: Guide): Promise<typeof unread> {
  const { version, mapping, open = [], fault } = await known.compiled(source)
  const named = { mapping: { name: mappings.nameOf(source), version } }
  const read = { ...unread, ...named, fault, canUndo: mappings.canUndo(source, version) }
  if (mapping === undefined) return read
  const counts = { columns: open.length, questions: mapping.openQuestions.length }
  return { ...read, record: mapping.record, open: counts }
}

const sentenceOf = (error: unknown) => (error instanceof CallError ? error.message : describeError(error))
