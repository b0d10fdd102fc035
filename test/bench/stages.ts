/** What a row goes through, and what else takes time. */
export type Stage = 'read' | 'map' | 'journal' | 'call' | 'rest' | 'start'

/** Where a frame belongs: to a stage, or to whoever called it. */
type Owner = Stage | 'caller'

const floors: Readonly<Record<string, Owner>> = {
  input: 'read',
  mapping: 'map',
  store: 'journal',
  api: 'call',
  engine: 'rest',
  cli: 'rest',
  result: 'rest',
  output: 'rest',
  'features/archives': 'read',
  'features/calendar': 'read',
  'features/cards': 'read',
  'features/ledger': 'journal',
  'features/sheets': 'read',
  records: 'caller',
  model: 'caller',
}

/** Packages that are not got's: there are more of those than can be named. */
const packages: Readonly<Record<string, Owner>> = {
  'csv-parse': 'read',
  'iconv-lite': 'read',
  'safer-buffer': 'read',
  jsonata: 'map',
  'libphonenumber-js': 'map',
  'linkify-it': 'map',
  luxon: 'map',
  'markdown-it': 'map',
  yaml: 'map',
  pino: 'rest',
  'sonic-boom': 'rest',
  ulid: 'rest',
  zod: 'caller',
}

/** Parts of Node that serve one stage only; all else works for whoever called it. */
const modules: readonly (readonly [RegExp, Stage])[] = [
  [/^node:internal\/(modules|process\/pre_execution|bootstrap|main)\b/, 'start'],
  [/^node:internal\/fs\/streams$/, 'read'], // of all files only sources are read as streams
  [/^node:(_http|_tls|http|https|net|tls|dns|internal\/(http|net|dns|stream_base))/, 'call'],
]

/** Who is taken for the owner of what nobody else called. */
const leftovers: readonly (readonly [RegExp, Stage])[] = [
  [/^node:(internal\/)?fs\b/, 'journal'],
  [/^node:(internal\/)?streams?\b/, 'call'],
]

/** The stage to which a stack belongs, by the files of its frames, the innermost first: the nearest that has one. */
export function stageOf(files: readonly string[]): Stage {
  for (const file of files) {
    const owner = ownerOf(file)
    if (owner !== 'caller') return owner
  }
  const nearest = files.flatMap(file => matching(leftovers, file) ?? [])
  return nearest[0] ?? 'rest'
}

function ownerOf(file: string): Owner {
  if (file.startsWith('node:')) return matching(modules, file) ?? 'caller'
  const [, packageName] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file) ?? []
  if (packageName !== undefined) return packages[packageName] ?? 'call'
  const [, floor = ''] = /\/dist\/(features\/[^/]+|[^/]+)\//.exec(file) ?? []
  return floors[floor] ?? 'caller'
}

const matching = (rules: readonly (readonly [RegExp, Stage])[], file: string) =>
  rules.find(([pattern]) => pattern.test(file))?.[1]
