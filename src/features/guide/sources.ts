// What is known of each source: the facts of its rows, what `init` drafts for it, and its mapping as it stands. It is kept until a file changes.
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { Readable, Writable } from 'node:stream'
import { parseDocument } from 'yaml'
import type { CliContext } from '../../cli/context.ts'
import { formatNamed, unpackedName } from '../../input/source.ts'
import { compileMapping, type Mapping } from '../../mapping/mapping.ts'
import { describeError } from '../../output/words.ts'
import type { RecordType } from '../../records/kinds.ts'
import { type FileFacts, hasTable } from '../draft/columns/survey.ts'
import { type Draft, draftOf } from '../draft/draft.ts'
import { factsOf, type InitOptions } from '../draft/drafts.ts'
import { runInit, writeWorksheets } from '../draft/run-init.ts'
import type { KnownSettings } from '../draft/sniff/sniff.ts'
import { keeping } from './kept.ts'
import { type Mappings, type MappingText, stampOf } from './mappings.ts'

export const worksheetFolder = 'worksheets'

/** A mapping that compiles, or the fault that it has. */
export type Compiled = MappingText & { readonly mapping?: Mapping; readonly fault?: string }

export type Sources = ReturnType<typeof knownSources>

export function knownSources(context: CliContext, mappings: Mappings) {
  const [keepFacts, keepDraft] = [keeping<FileFacts>(), keeping<Draft>()]
  const [keepCompiled, keepMade] = [keeping<Compiled>(), keeping<void>()]
  const options = (source: string) => ({
    ...{ output: mappings.pathOf(source), worksheets: mappings.inFolder(worksheetFolder) },
  })

  /** The facts as the file is read by these settings. Throws a SourceError. */
  async function factsBy(source: string, reading: KnownSettings): Promise<FileFacts> {
    const path = mappings.sourcePath(source)
    return keepFacts([source, await stampOf(path), JSON.stringify(reading)].join(' '), async () => {
      const own = { ...options(source), ...reading } as InitOptions
      const facts = await factsOf(path, own, Readable.from([]))
      return { ...facts, source: { ...facts.source, name: source } }
    })
  }

  /** The mapping of a source, compiled, without a look at the columns. Throws a CallError if there is none. */
  async function parsed(source: string): Promise<Compiled> {
    const found = await mappings.read(source)
    return keepCompiled(`${source} ${found.version}`, async () => compile(mappings.nameOf(source), found))
  }

  /** The mapping with its columns, which may not be those of the file: that is a fault, too. */
  async function compiled(source: string): Promise<Compiled> {
    const { text, version, ...rest } = await parsed(source)
    if (rest.mapping === undefined) return { text, version, ...rest }
    const all = await facts(source)
    return keepCompiled(`${source} ${version} ${numberOf(all)}`, async () => {
      const now = compile(mappings.nameOf(source), { text, version }, all)
      return now.mapping ? now : { ...rest, ...now }
    })
  }

  /** The facts as the file is read by its mapping. */
  async function facts(source: string): Promise<FileFacts> {
    const { text, mapping } = await parsed(source)
    return factsBy(source, mapping ? readingOf(text, mapping) : {})
  }

  /** What `init` drafts for a source; its record is that of the mapping, unless another one is asked for. */
  async function draft(source: string, record?: RecordType): Promise<Draft> {
    const { mapping } = await parsed(source)
    return draftFor(await facts(source), record ?? mapping?.record)
  }

  const numbers = new WeakMap<FileFacts, number>()
  let last = 0
  function numberOf(all: FileFacts): number {
    const number = numbers.get(all) ?? ++last
    numbers.set(all, number)
    return number
  }

  async function draftFor(all: FileFacts, record?: RecordType): Promise<Draft> {
    const natural = await keepDraft(`${numberOf(all)}`, async () => draftOf(all))
    if (record === undefined || natural.mapping.record === record) return natural
    return keepDraft(`${numberOf(all)} ${record}`, async () => draftOf(factsWith(all, record)))
  }

  /** Drafts a mapping beside each source that has none, once for each version of the source; several become a plan. */
  async function make(source: string): Promise<void> {
    if (existsSync(mappings.pathOf(source))) return
    const stamp = await stampOf(mappings.sourcePath(source))
    const others = mappings.sources.filter(each => !existsSync(mappings.pathOf(each)))
    const isPlan = others.length > 1 && others.length === mappings.sources.length
    if (isPlan && !existsSync(mappings.inFolder('plan.yaml')))
      await keepMade('plan', () => init(others, mappings.inFolder('/'))).catch(() => {}) // each alone may be drafted
    await keepMade(`${source} ${stamp}`, async () => {
      if (!existsSync(mappings.pathOf(source))) await init([source], mappings.pathOf(source))
    })
  }

  async function init(sources: readonly string[], output: string): Promise<void> {
    const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
    const values = { output, worksheets: mappings.inFolder(worksheetFolder) } as InitOptions
    const own = { ...context, stdin: Readable.from([]), stdout: silent, stderr: silent }
    await runInit({ positionals: sources, flags: {}, values }, own)
  }

  const fillIn = (all: Draft) => writeWorksheets(mappings.inFolder(worksheetFolder), all)
  return { compiled, facts, factsBy, draft, draftFor, make, fillIn }
}

export const factsWith = (facts: FileFacts, record: RecordType): FileFacts => ({
  ...facts,
  record,
  preset: undefined,
})

function compile(name: string, found: MappingText, facts?: FileFacts): Compiled {
  const own = () => compileMapping(name, found.text, found.version)
  try {
    const mapping = own()
    const names = facts?.columns.map(column => column.name)
    if (names) mapping.settleColumns([names])
    try {
      if (names && facts && hasTable(facts.source)) own().checkColumns(names, facts.source.name)
      return { ...found, mapping }
    } catch (error) {
      return { ...found, mapping, fault: describeError(error) }
    }
  } catch (error) {
    return { ...found, fault: describeError(error) }
  }
}

/** How a mapping says that its source is read. */
export function readingOf(text: string, { source }: Pick<Mapping, 'source'>): KnownSettings {
  const { format, sheet, rows, delimiter, encoding, header } = source
  const reading = { format, sheet, rows, delimiter, encoding } as KnownSettings
  return parseDocument(text).hasIn(['source', 'header']) ? { ...reading, header } : reading
}

const results =
  /\.(results|preview|changes|rejects|rejected|corrected|summary|approval|existing)(\.[^.]+)*$|^(package|package-lock|tsconfig|(mapping|plan)\.schema)\.json$/i

/** The files of a folder that can be imported, and are none that an import wrote. */
export async function sourcesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const names = entries
    .filter(entry => !entry.isDirectory() && !entry.name.startsWith('.'))
    .map(each => each.name)
  const isSource = (name: string) => formatNamed(name.replace(/\.zip$/i, '.csv')) !== undefined
  const stem = (name: string) => unpackedName(name)
  return names.filter(name => isSource(name) && !results.test(stem(name))).sort((a, b) => a.localeCompare(b))
}
