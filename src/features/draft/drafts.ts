import { readFile } from 'node:fs/promises'
import { join, parse, relative, sep } from 'node:path'
import { Readable } from 'node:stream'
import { stringify } from 'yaml'
import { standardInput, unpackedName } from '../../input/source.ts'
import { mappingPath, presetNames, schemaPathFrom } from '../../run/paths.ts'
import type { OptionValues } from '../../settings/option-values.ts'
import { type FileFacts, Survey } from './columns/survey.ts'
import { type Draft, draftOf } from './draft.ts'
import { type Drafted, draftedFile, isImport, organizationsIn, tablesIn } from './files/drafted.ts'
import { linksOf } from './files/record-links.ts'
import { isOfOrganizations, type Relation, relationsAmong } from './files/relations.ts'
import type { initOptions } from './options.ts'
import { type Preset, presetFor } from './preset.ts'
import { sniff } from './sniff/sniff.ts'
import type { Sniffed } from './sniff/sniffed.ts'
import { asQuestion, comment, quote, wrapped } from './yaml.ts'

type Options = OptionValues<typeof initOptions>

/** Drafts a mapping for a source. Throws a SourceError. */
export async function draftMapping(source: string, options: Options, stdin: Readable): Promise<Draft> {
  const { found, preset } = await lookAt(source, options, stdin)
  return draftOf(found, preset)
}

/** Collects the facts for a draft; `keepsValues` is for links to other files. Throws a SourceError. */
async function lookAt(
  source: string,
  { output, record, ...reading }: Options,
  stdin: Readable,
  keepsValues = false,
): Promise<{ found: FileFacts; preset: Preset | undefined }> {
  const { signal } = new AbortController()
  const sniffed = await sniff(source, reading, { stdin, signal, onRead: () => {} })
  const { columns, ...facts } = await surveyRows(sniffed, keepsValues)
  const names = columns.map(({ name }) => name)
  const preset = record === undefined ? await presetOf(names, sniffed) : undefined
  const schema = output === undefined || output === standardInput ? undefined : schemaPathFrom(output)
  return { found: { source: { ...sniffed, name: source }, columns, ...facts, record, schema }, preset }
}

async function surveyRows(sniffed: Sniffed, keepsValues: boolean) {
  const { columns, headerLine, rows, close } = await sniffed.open()
  const survey = new Survey(columns, keepsValues)
  let isAll = true
  try {
    for await (const batch of rows) {
      isAll = batch.every(row => survey.add(row))
      if (!isAll) break
    }
  } finally {
    await close()
  }
  return { columns: survey.columns, rows: survey.facts(isAll), headerLine }
}

async function presetOf(columns: readonly string[], { settings }: Sniffed): Promise<Preset | undefined> {
  const name = presetFor(columns, settings.format ?? 'csv')
  if (name === undefined || !presetNames().includes(name)) return undefined
  return { name, text: await readFile(mappingPath(`preset:${name}`), 'utf8') }
}

/** A plan explains no columns. */
type DraftFile = Readonly<Pick<Draft, 'text'> & Partial<Pick<Draft, 'explained'>> & { path: string }>

const ranks = ['organization', 'mixed', 'person', 'task', 'users']

/** Drafts for several sources: the mappings with their links, then the plan. Throws a SourceError. */
export async function draftMigration(
  sources: readonly string[],
  folder: string,
  options: Options,
): Promise<DraftFile[]> {
  const taken = new Set(['plan', 'parents'])
  const plan = join(folder, 'plan.yaml')
  const single: Drafted[] = []
  for (const source of sources) {
    const facts = await lookAt(source, { ...options, output: plan }, Readable.from([]), true)
    const step = stepName(parse(unpackedName(source)).name, taken)
    single.push(draftedFile({ step, path: relative(folder, source).replaceAll(sep, '/'), ...facts }))
  }
  const files = withTables(single, taken).sort((a, b) => ranks.indexOf(a.kind) - ranks.indexOf(b.kind))
  const relations = relationsAmong(files)
  const drafts = files.filter(isImport).map(file => {
    const record = file.kind === 'task' ? 'task' : 'contact'
    const found = { ...file.found, record, links: linksOf(file, relations) } as const
    return { path: join(folder, `${file.step}.yaml`), ...draftOf(found, file.preset) }
  })
  return [...drafts, { path: plan, text: planText(files, relations) }]
}

/** Names a step and its files; each name once, whatever its case. */
function stepName(wanted: string, taken: Set<string>): string {
  const plain = wanted.replaceAll(/[^\p{L}\p{N}_-]+/gu, '-').replaceAll(/^-+|-+$/g, '')
  const name = (/^\d*$/.test(plain) ? `file-${plain}` : plain).slice(0, 80)
  let free = name
  for (let number = 2; taken.has(free.toLowerCase()); number += 1) free = `${name}-${number}`
  taken.add(free.toLowerCase())
  return free
}

/** Makes users or organizations of what others refer to so; organizations that only one file of people names are a file. */
function withTables(files: readonly Drafted[], taken: Set<string>): Drafted[] {
  const tables = files.flatMap(tablesIn)
  const related = relationsAmong([...tables, ...files]).filter(
    each => each.from.step !== each.to.step && (each.to.kind === 'users' || isOfOrganizations(each)),
  )
  const tableOf = ({ step }: Drafted) => related.find(({ to }) => to.step === step && tables.includes(to))?.to
  const sorted = files.map(file => tableOf(file) ?? file)
  const [found, ...more] = sorted.flatMap(file => organizationsIn(file) ?? [])
  const isNeeded = found && more.length === 0 && !sorted.some(({ kind }) => kind === 'organization')
  return isNeeded ? [{ ...found, step: stepName('organizations', taken) }, ...sorted] : sorted
}

const reasons = {
  circle: 'that file refers back: a circle',
  keyless: 'rows there share their names, and no column is a key',
}

/** The plan of drafts. */
function planText(files: readonly Drafted[], relations: readonly Relation[]): string {
  const imports = files.filter(isImport)
  const users = files.filter(file => !isImport(file))
  const schema = files[0]?.found.schema?.replace('mapping.schema', 'plan.schema') ?? ''
  const notes = [
    `yaml-language-server: $schema=${schema}`,
    'A draft of a migration: its imports in the order in which they need each other. All paths are relative to this file.',
    ...users.map(({ path }) => `${path} is no import, but the table of users for the others.`),
    ...relations.flatMap(leftOut),
  ].map(comment)
  const steps = Object.fromEntries(
    imports.map(({ step, path }) => [step, { source: path, mapping: `${step}.yaml` }]),
  )
  const service = ['', '# base-url: https://api.example.com', '# organization-id: 42']
  return [...notes.flatMap(wrapped), ...service, stringify({ steps }, { lineWidth: 0 })].join('\n')
}

function leftOut({ from, to, column, by, left }: Relation): string[] {
  const names = `${quote(column.name)} of ${from.path} names rows of ${to.path} by ${quote(by)}`
  const question = 'These links are left out. Can they be done without?'
  return left ? [asQuestion(`${names}, but ${reasons[left]}. ${question}`)] : []
}
