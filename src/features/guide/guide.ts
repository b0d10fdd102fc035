import { createHash } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { CliContext } from '../../cli/context.ts'
import type { RecordType } from '../../records/kinds.ts'
import type { SettingSources } from '../../settings/settings.ts'
import { jobsOf } from './jobs.ts'
import { mappingsOf } from './mappings.ts'
import { sentenceOf } from './server.ts'
import { openService } from './service.ts'
import { knownSources } from './sources.ts'

export type Guide = Awaited<ReturnType<typeof openGuide>>

/** What the calls of the page work with. Everything that lasts is in the files of the folder, the `cwd` of the context. Throws a UsageError. */
export async function openGuide(context: CliContext, layers: SettingSources, sources: readonly string[]) {
  const mappings = mappingsOf(context.cwd ?? '.', sources)
  const service = await openService(context, layers, mappings)
  const [known, jobs] = [knownSources(context, mappings), jobsOf(context, service)]
  async function close(): Promise<void> {
    for (const part of [jobs, known, service]) await part.close()
  }
  return { context, mappings, service, known, jobs, close }
}

/** A small file is drafted before the first state is sent; a large one goes on behind it. */
const longestWaitMs = 500

/** The state that every page shows, read from the files. `version` differs when anything in it does. Faults are errors. */
export async function errorStateOf(guide: Guide) {
  const { jobs, service, mappings } = guide
  const files = await Promise.all(mappings.imports.map(file => fileState(file, guide)))
  const state = { files, service: service.state(), job: jobs.state() }
  return { ...state, version: createHash('sha256').update(JSON.stringify(state)).digest('hex').slice(0, 16) }
}

/** The state with its faults in the language of a page. */
export const stateInWords = ({ files, ...state }: Awaited<ReturnType<typeof errorStateOf>>) => ({
  ...state,
  files: files.map(file => ({ ...file, fault: file.fault ? sentenceOf(file.fault) : null })),
})

export const stateOf = async (guide: Guide) => stateInWords(await errorStateOf(guide))

/** What a source and its files come to, as long as nothing is known of them. */
const unread = {
  /** Null while the file is read for the first time, and if it cannot be read: then `fault` is the error. */
  mapping: null as { readonly name: string; readonly version: string } | null,
  fault: undefined as unknown,
  record: null as RecordType | null,
  /** Columns without a decision, and questions of the draft. */
  open: { columns: 0, questions: 0 },
  canUndo: false,
  ...({ log: null, corrected: null, approval: null } as Awaited<ReturnType<Guide['jobs']['fileState']>>),
}

/** The last states by the paths of mappings; they are shown while a longer reading goes on. */
const shown = new Map<string, typeof unread>()

async function fileState(source: string, guide: Guide) {
  const path = guide.mappings.pathOf(source)
  const before = shown.get(path) ?? unread
  const reading = readState(source, before, guide)
  void reading.then(read => shown.set(path, read))
  const read = await Promise.race([reading, setTimeout(longestWaitMs, before, { ref: false })])
  const name = guide.mappings.sourceOf(source)
  return { source, name, isSecond: name !== source, ...read }
}

async function readState(source: string, before: typeof unread, { jobs, known, mappings }: Guide) {
  // a log is not read while it is written
  const { log, corrected, approval } = jobs.isRunning() ? before : await jobs.fileState(source)
  const delivered = { ...unread, log, corrected, approval }
  try {
    const { version, mapping, open, fault } = await known.compiled(source)
    return {
      ...{ ...delivered, fault, mapping: { name: mappings.nameOf(source), version } },
      record: mapping?.record ?? null,
      open: { columns: open.length, questions: mapping?.openQuestions.length ?? 0 },
      canUndo: mappings.canUndo(source, version),
    }
  } catch (error) {
    return { ...delivered, fault: error }
  }
}
