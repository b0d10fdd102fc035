import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const src = fileURLToPath(new URL('../../src', import.meta.url))

/** The rooms of the core, and those that each may import besides itself; rooms side by side never import each other. */
const ground = ['settings', 'platform', 'records', 'model']
const sideBySide = ['engine', 'input', 'mapping', 'api', 'store', 'result', 'output']
const floors: Readonly<Record<string, readonly string[]>> = {
  'bin.ts': ['cli', 'features.ts'],
  'index.ts': ['library', 'run', 'platform', 'model'],
  cli: ['commands.ts', 'features.ts', 'run', ...sideBySide, ...ground],
  library: ['features.ts', 'run', ...sideBySide, ...ground],
  'commands.ts': ['cli'],
  'features.ts': ['run', 'input', 'settings'],
  'feature-words.ts': [],
  run: [...sideBySide, ...ground],
  engine: ground,
  input: ground,
  mapping: ground,
  api: ground,
  store: ground,
  result: ground,
  output: ['result', 'feature-words.ts', ...ground],
  settings: ['platform', 'model'],
  platform: ['model'],
  records: [],
  model: [],
}

/** What loads features, and what lists their words. */
const registries = ['commands.ts', 'features.ts', 'feature-words.ts']

/** Imports that the floors do not allow, each with its reason. */
const exceptions: Readonly<Record<string, string>> = {
  'result -> store/files/lines.ts': 'the store writes the lines of a log, and the result reads them',
  'model -> output/words/catalogue.ts':
    'the unions of problems and events are derived from its types; nothing is loaded',
}

/** Imports from one feature into another, each with its reason. */
const betweenFeatures: Readonly<Record<string, string>> = {
  'features/calendar -> features/cards': 'calendars and cards are made of the same content lines',
  'features/ledger -> features/reconcile': 'rows in doubt are listed alike in both stores',
  'features/draft -> features/cards': 'a draft finds out the encoding of content lines',
  'features/draft -> features/json-documents': 'a draft chooses among the lists of a document',
  'features/draft -> features/sanity-checks': 'a draft leaves out the totals that the checks tell of',
  'features/draft -> features/worksheets': 'a draft makes the tables that it asks a person to fill in',
  'features/draft -> features/mapping-tests': 'a draft has a test, which must pass',
  'features/guide -> features/sandbox': 'practice sends to a service of this computer',
  'features/guide -> features/doctor': 'the page tests the way to the service by the command',
  'features/guide -> features/log-tools': 'the page forgets rows of a trial by the command',
  'features/guide -> features/reconcile': 'the page settles rows in doubt by the command',
  'features/log-tools -> features/reconcile': 'rows are forgotten by an export, which is read in one way',
  'features/reconcile -> features/fields': 'columns of an export are compared with fields that exist',
  'features/reconcile -> features/draft': 'an export of the service is sniffed like a source',
  'features/worksheets -> features/draft': 'a table that a spreadsheet saved is sniffed like a source',
  'features/watch -> features/mapping-tests': 'what watches a mapping runs its tests',
  'features/sheets -> features/archives': 'a workbook is a zip archive',
  'features/guide -> features/draft':
    'the page shows what init drafts, asks its questions and edits mappings in its style',
  'features/guide -> features/migration': 'the page imports linked files by the steps of their plan',
  'features/guide -> features/fields': 'the page lets people choose among the fields that the command lists',
  'features/guide -> features/worksheets': 'worksheets are filled in on the page',
  'features/guide -> features/sanity-checks': 'the page says which lines are totals',
}

interface Source {
  /** Below src, with slashes. */
  readonly file: string
  readonly room: string
  readonly text: string
  /** Files below src, with slashes. */
  readonly imports: readonly string[]
}

/** A feature is a room of its own. */
const roomOf = (file: string) => /^(features\/[^/]+|[^/]+)/.exec(file)?.[1] ?? ''

const withSlashes = (path: string) => path.split(sep).join('/')

async function sources(): Promise<Source[]> {
  const files = await readdir(src, { recursive: true })
  return Promise.all(files.filter(file => /\.tsx?$/.test(file)).map(sourceOf))
}

async function sourceOf(path: string): Promise<Source> {
  const file = withSlashes(path)
  const text = await readFile(join(src, path), 'utf8')
  const imports = [...text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map(([, to = '']) =>
    withSlashes(relative(src, join(src, dirname(path), to))),
  )
  return { file, room: roomOf(file), text, imports }
}

/** Lines of code: without blank lines and comments. */
const codeLines = (text: string) =>
  text.split('\n').filter(line => line.trim() !== '' && !/^\s*(\/\/|\/?\*)/.test(line))

const isFeature = (room: string) => room.startsWith('features/')

function mayImport(from: Source, to: string): boolean {
  const room = roomOf(to)
  if (room === from.room || registries.includes(from.file)) return true
  if (isFeature(room)) return `${from.room} -> ${room}` in betweenFeatures
  if (isFeature(from.room)) return room !== 'bin.ts' && room !== 'index.ts'
  return (floors[from.room] ?? []).includes(room) || `${from.room} -> ${to}` in exceptions
}

describe('the house', async () => {
  const all = await sources()
  const core = all.filter(({ room }) => !isFeature(room))

  it('has the rooms that this test knows, and no others', () => {
    expect([...new Set(core.map(({ room }) => room))].sort()).toEqual(Object.keys(floors).sort())
  })

  it('imports only from the floors below, and no feature but through the registry', () => {
    const wrong = all.flatMap(source =>
      source.imports.filter(to => !mayImport(source, to)).map(to => `${source.file} -> ${to}`),
    )
    expect(wrong).toEqual([])
  })

  it('has no exception that nothing needs', () => {
    const needed = new Set(
      all.flatMap(({ room, imports }) =>
        imports.flatMap(to => [`${room} -> ${to}`, `${room} -> ${roomOf(to)}`]),
      ),
    )
    expect(Object.keys({ ...exceptions, ...betweenFeatures }).filter(each => !needed.has(each))).toEqual([])
  })

  it('has at most eight levels of imports in a room of the core', () => {
    const byFile = new Map(all.map(source => [source.file, source]))
    const levels = new Map<string, number>()
    const levelOf = (source: Source): number => {
      const known = levels.get(source.file)
      if (known !== undefined) return known
      levels.set(source.file, 1) // a circle, which the linter refuses, would end here
      const inside = source.imports.flatMap(to => byFile.get(to) ?? []).filter(to => to.room === source.room)
      const level = 1 + Math.max(0, ...inside.map(levelOf))
      levels.set(source.file, level)
      return level
    }
    expect(core.filter(source => levelOf(source) > 8).map(({ file }) => file)).toEqual([])
  })

  it('knows of the process in the command, in the library and in what differs between systems', () => {
    const withoutComments = (text: string) => text.replaceAll(/^\s*(\/\/|\/?\*).*$/gm, '')
    const readers = all.filter(({ text }) =>
      /(?<![.'\w])process[.)]|'node:process'/.test(withoutComments(text)),
    )
    const elsewhere = readers.filter(({ file, room }) => room !== 'platform' && file !== 'cli/context.ts')
    expect(elsewhere.map(({ file }) => file).sort()).toEqual(['bin.ts', 'index.ts'])
  })

  it('imports got and the other tools of a room in that room only', () => {
    const homes: Readonly<Record<string, string | readonly string[]>> = {
      got: 'api',
      'p-limit': ['api', 'engine'],
      'csv-parse': 'input',
      'csv-stringify': 'store',
      'iconv-lite': 'input',
      pino: 'output',
      'prom-client': 'features/metrics',
      yargs: 'cli',
      fastify: 'features/sandbox',
      pg: 'features/ledger',
      yauzl: 'features/archives',
      saxes: 'features/sheets',
    }
    const strays = all.flatMap(({ file, room, text }) =>
      Object.entries(homes).flatMap(([library, home]) =>
        ![home].flat().includes(room) && text.includes(`from '${library}'`)
          ? [`${file} imports ${library}`]
          : [],
      ),
    )
    expect(strays).toEqual([])
  })

  it('has no default exports and no file past 250 lines of code, but for the table of options', () => {
    expect(all.filter(({ text }) => /^export default/m.test(text)).map(({ file }) => file)).toEqual([])
    const tooLong = all.filter(({ text }) => codeLines(text).length > 250).map(({ file }) => file)
    expect(tooLong.filter(file => file !== 'settings/options.ts')).toEqual([])
  })
})
