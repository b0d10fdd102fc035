// What is known of each source: the facts of its rows, what `init` drafts for it, and its mapping as it stands. It is kept until a file changes.
import { existsSync } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import { relative } from 'node:path'
import { Readable } from 'node:stream'
import { isDeepStrictEqual } from 'node:util'
import { parseDocument } from 'yaml'
import type { CliContext } from '../../cli/context.ts'
import { formatNamed, unpackedName } from '../../input/source.ts'
import { compileMapping, type Mapping } from '../../mapping/mapping.ts'
import type { RecordType } from '../../records/kinds.ts'
import { type Draft, draftOf } from '../draft/draft.ts'
import { type FileFacts, factsOf, hasTable, type InitOptions } from '../draft/drafts.ts'
import { decisionsIn } from '../draft/edits/column-edits.ts'
import { runInit, writeWorksheets } from '../draft/run-init.ts'
import { writeSchemas } from '../draft/schema-files.ts'
import type { KnownSettings } from '../draft/sniff/sniff.ts'
import { type Mappings, stampOf } from './mappings.ts'
import { unread } from './run-command.ts'

export const worksheetFolder = 'worksheets'
export const planName = 'plan.yaml'

/** Somebody waits for the draft; `rowlift init` reads five times as many. */
const mostRows = 20_000

/** A mapping that compiles, with the columns about which nobody decided, and the fault that it has for its source; or the fault alone. */
type Compiled = {
  readonly text: string
  readonly version: string
  mapping: Mapping | undefined
  open: readonly string[]
  /** The error; undefined if there is none. */
  fault: unknown
}

export interface Drafted {
  readonly facts: FileFacts
  readonly draft: Draft
}

/** Keeps the last values by their keys, so that a state that is read twice a second costs nothing. */
function keeping<Value>(most = 40) {
  const kept = new Map<string, Promise<Value>>()
  return (key: string, make: () => Promise<Value>): Promise<Value> => {
    const value = kept.get(key) ?? make()
    kept.set(key, value)
    for (const oldest of [...kept.keys()].slice(0, -most)) kept.delete(oldest)
    return value
  }
}

/** Facts of a file, which is read again only if it has changed; undefined if it cannot be read. */
export function keptFacts<Facts>(read: (path: string) => Promise<Facts>) {
  const keep = keeping<Facts | undefined>()
  return async (path: string) =>
    keep(`${path} ${await stampOf(path)}`, () => read(path).catch(() => undefined))
}

export function knownSources(context: CliContext, mappings: Mappings) {
  const [keepCompiled, keepMade] = [keeping<Compiled>(), keeping<void>()]
  let keepFacts = keeping<FileFacts>(12)
  const drafts = new WeakMap<FileFacts, Map<RecordType | undefined, Drafted>>()
  const worksheets = mappings.inFolder(worksheetFolder)
  let made: Promise<unknown> = Promise.resolve()

  /** The facts as a file is read by these settings, else by what it looks like. Throws a SourceError. */
  async function factsBy(source: string, reading: KnownSettings = {}): Promise<FileFacts> {
    const path = mappings.sourcePath(source)
    const stamp = await stampOf(path)
    const read = (reading: KnownSettings) =>
      keepFacts(`${source} ${stamp} ${JSON.stringify(reading)}`, async () => {
        const options = { ...reading, output: mappings.pathOf(source), worksheets, mostRows } as InitOptions
        const facts = await factsOf(path, options, Readable.from([]))
        return { ...facts, source: { ...facts.source, name: mappings.sourceOf(source) } }
      })
    const looks = await read({}).catch(() => undefined)
    return looks && isReadBy(reading, looks) ? looks : read(reading) // reading a large file again would take long
  }

  /** The mapping, drafted if there is none, and its faults; its columns may not be those of the file. Throws a CallError or a SourceError. */
  async function compiled(source: string) {
    await make(source)
    const { text, version } = await mappings.read(source)
    const stamp = await stampOf(mappings.sourcePath(source))
    return keepCompiled(`${source} ${stamp} ${version}`, async () => {
      const found: Compiled = { text, version, mapping: undefined, open: [], fault: undefined }
      try {
        const own = compileMapping(mappings.nameOf(source), text, version)
        const { columns, source: read } = await factsBy(source, readingOf(text, own))
        const names = columns.map(({ name }) => name)
        own.settleColumns([hasTable(read) ? names : undefined])
        const decided = decisionsIn(text)
        found.open = own.columnFacts([names]).unused.filter(name => !decided.has(name))
        found.mapping = own
        if (hasTable(read)) own.checkColumns(names, source)
      } catch (error) {
        found.fault = error
      }
      return found
    })
  }

  /** The mapping with the facts as the file is read by it. Throws what `compiled` throws. */
  async function read(source: string) {
    const found = await compiled(source)
    const { text, mapping } = found
    return { ...found, facts: await factsBy(source, mapping && readingOf(text, mapping)) }
  }

  /** What `init` drafts for a file that shall be of a record, with the facts for that: a preset is for one record alone. */
  function draftFor(facts: FileFacts, record?: RecordType): Drafted {
    const kept = drafts.get(facts) ?? new Map<RecordType | undefined, Drafted>()
    drafts.set(facts, kept)
    const isOther = record !== undefined && draftFor(facts).draft.mapping.record !== record
    const own = isOther ? { ...facts, record, preset: undefined } : facts
    const drafted = kept.get(own.record) ?? { facts: own, draft: draftOf(own) }
    kept.set(own.record, drafted)
    return drafted
  }

  /** Drafts a mapping beside a source that has none, once for each version of it. Several get a plan with their links. */
  async function make(source: string, record?: RecordType): Promise<void> {
    const path = mappings.pathOf(source)
    const isSecond = mappings.sourceOf(source) !== source
    if (existsSync(path) || (isSecond && record === undefined)) return
    const stamp = await stampOf(mappings.sourcePath(source))
    if (mappings.sources.length > 1) await keepMade('plan', makePlan)
    const making = keepMade(`${source} ${stamp}`, async () => {
      if (existsSync(path)) return
      const { draft } = draftFor(await factsBy(source), record)
      await writeFile(path, draft.text, { flag: 'wx' })
      await writeSchemas(mappings.inFolder(), ['mapping'])
      await writeWorksheets(worksheets, draft)
    })
    made = Promise.allSettled([made, making])
    await making
  }

  /** Drafts mappings that are linked, and the plan, if there is none of them yet. */
  async function makePlan(): Promise<void> {
    const read = await Promise.allSettled(mappings.sources.map(source => factsBy(source)))
    const readable = mappings.sources.filter((_, at) => read[at]?.status === 'fulfilled')
    const made = [...readable.map(each => mappings.pathOf(each)), mappings.inFolder(planName)]
    if (readable.length < 2 || made.some(path => existsSync(path))) return
    const positionals = readable.map(each => relative('', mappings.sourcePath(each))) // they are named in comments
    const values = { output: mappings.inFolder('/'), worksheets, mostRows } as InitOptions
    const silent = { stdin: Readable.from([]), stdout: unread(), stderr: unread() }
    const own = { ...context, ...silent, cwd: undefined }
    await runInit({ positionals, flags: {}, values }, own).catch(() => {}) // then each is drafted alone
  }

  return {
    ...{ make, compiled, read, factsBy, draftFor },
    fillIn: (draft: Draft) => writeWorksheets(worksheets, draft),
    /** Lets go of the facts, which are some 7 MB of a long file; they are read again when they are asked for. */
    release() {
      keepFacts = keeping(12)
    },
    /** Resolves once no mapping is being written. */
    close: () => made,
  }
}

/** Settings that are undefined are found out. */
const isReadBy = (reading: KnownSettings, { source: { settings } }: FileFacts) =>
  isDeepStrictEqual({ ...settings, ...JSON.parse(JSON.stringify(reading)) }, settings)

/** How a mapping says that its source is read; what it does not say is found out. */
export function readingOf(text: string, { source }: Pick<Mapping, 'source'>): KnownSettings {
  const { format, sheet, rows, delimiter, encoding, header } = source
  const hasHeader = parseDocument(text).hasIn(['source', 'header'])
  return { format, sheet, rows, delimiter, encoding, ...(hasHeader && { header }) } as KnownSettings
}

const written =
  /\.(results|preview|changes|rejects|rejected|corrected|summary|approval)(\.[^.]+)*$|^(package|package-lock|tsconfig|(mapping|plan)\.schema)\.json$/i

/** The files of a folder that can be imported, without those that an import wrote. */
export async function sourcesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const names = entries.flatMap(entry => (entry.isDirectory() ? [] : entry.name))
  const isSource = (name: string) => /\.zip$/i.test(name) || formatNamed(name) !== undefined
  return names.filter(name => !/^\./.test(name) && isSource(name) && !written.test(unpackedName(name))).sort()
}
