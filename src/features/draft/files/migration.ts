import { join, parse as parsePath, relative, sep } from 'node:path'
import { Readable } from 'node:stream'
import { parse, stringify } from 'yaml'
import { unpackedName } from '../../../input/source.ts'
import { headerWords } from '../columns/words.ts'
import { draftOf } from '../draft.ts'
import { factsOf, type InitOptions } from '../drafts.ts'
import notes from '../notes.json' with { type: 'json' }
import { companies } from '../roles/parties.ts'
import { schemaFiles } from '../schema-files.ts'
import { comment, compact, quote, wrapped } from '../yaml.ts'
import { linksOf } from './record-links.ts'
import { type DraftedFile, isImport, isOfOrganizations, type Relation, relationsAmong } from './relations.ts'

const ranks = ['organization', 'mixed', 'person', 'task', 'users']

/** Drafts for several sources: the mappings with their links, then the plan. Throws a SourceError. */
export async function draftMigration(sources: readonly string[], folder: string, options: InitOptions) {
  const taken = new Set(['plan', 'parents'])
  const plan = join(folder, 'plan.yaml')
  const single: DraftedFile[] = []
  for (const source of sources) {
    const facts = await factsOf(source, { ...options, output: plan }, Readable.from([]), true)
    const step = stepName(parsePath(unpackedName(source)).name, taken)
    single.push(draftedFile({ step, path: relative(folder, source).replaceAll(sep, '/'), facts }))
  }
  const files = withTables(single, taken).sort((a, b) => ranks.indexOf(a.kind) - ranks.indexOf(b.kind))
  const relations = relationsAmong(files)
  const drafts = files.filter(isImport).map(file => {
    const record = file.kind === 'task' ? 'task' : 'contact'
    const facts = { ...file.facts, record, links: linksOf(file, relations) } as const
    return { path: join(folder, `${file.step}.yaml`), ...draftOf(facts) }
  })
  return [...drafts, { path: plan, text: planText(files, relations), explained: undefined }]
}

/** Names a step and its files; each name once, whatever its case. */
export function stepName(wanted: string, taken: Set<string>): string {
  const plain = wanted.replaceAll(/[^\p{L}\p{N}_-]+/gu, '-').replaceAll(/^-+|-+$/g, '')
  const name = (/^\d*$/.test(plain) ? `file-${plain}` : plain).slice(0, 80)
  let free = name
  for (let number = 2; taken.has(free.toLowerCase()); number += 1) free = `${name}-${number}`
  taken.add(free.toLowerCase())
  return free
}

function draftedFile(file: Pick<DraftedFile, 'step' | 'path' | 'facts'>): DraftedFile {
  const { text, unmapped } = draftOf(file.facts)
  const names = file.facts.columns.map(({ name }) => name)
  const firstOf = (columns: unknown) => names.find(name => [columns].flat(2).includes(name))
  const { record, key, body } = parse(text)
  const isPlain = body.record_sub_type === 'organization' || body.record_sub_type === 'person'
  return {
    ...file,
    kind: record === 'task' ? record : isPlain ? body.record_sub_type : 'mixed',
    key: firstOf(key),
    name: firstOf(body.name?.from),
    // The address of a contact may name its record, too.
    unmapped: [...unmapped, ...[body.contact_email?.from ?? []].flat()],
  }
}

/** Makes users or organizations of what others refer to so; organizations that only one file of people names are a file. */
function withTables(files: readonly DraftedFile[], taken: Set<string>): DraftedFile[] {
  const tables = files.flatMap(tablesIn)
  const related = relationsAmong([...tables, ...files]).filter(
    each => each.from.step !== each.to.step && (each.to.kind === 'users' || isOfOrganizations(each)),
  )
  const tableOf = ({ step }: DraftedFile) =>
    related.find(({ to }) => to.step === step && tables.includes(to))?.to
  const sorted = files.map(file => tableOf(file) ?? file)
  const [made, ...more] = sorted.flatMap(file => organizationsIn(file) ?? [])
  const isNeeded = made && more.length === 0 && !sorted.some(({ kind }) => kind === 'organization')
  return isNeeded ? [{ ...made, step: stepName('organizations', taken) }, ...sorted] : sorted
}

/** The tables that a file may be if others refer to it so: users if it has their numbers, organizations if it has whole names. */
function tablesIn(file: DraftedFile): DraftedFile[] {
  const isOfUsers = /\busers?\b/.test(headerWords(file.step))
  const isOfId = (words: string) => /^user ?id$/.test(words) || (isOfUsers && words === 'id')
  const id = file.facts.columns.find(
    ({ words, isDistinct, fits, filled }) => isOfId(words) && isDistinct && fits.number.count === filled,
  )
  const isNamed = file.kind === 'person' && file.name !== undefined
  return compact<DraftedFile>(
    id && { ...file, kind: 'users', key: id.name },
    isNamed && { ...file, kind: 'organization' },
  )
}

/** The organizations that people name again and again, as a file of their own. */
function organizationsIn({ kind, unmapped, ...people }: DraftedFile): DraftedFile | undefined {
  const named = people.facts.columns.filter(
    ({ name, words }) => companies.has(words) && unmapped.includes(name),
  )
  const column = named.find(each => each.distinct?.repeats && !each.isList && each.share('number') < 0.5)
  if (column === undefined || kind !== 'person') return undefined
  const facts = { ...people.facts, columns: [column] }
  const { name } = column
  return { ...people, kind: 'organization', key: name, name, isOfValues: true, unmapped, facts }
}

function planText(files: readonly DraftedFile[], relations: readonly Relation[]): string {
  const users = files.filter(file => !isImport(file))
  const comments = [
    `yaml-language-server: $schema=${schemaFiles.plan}`,
    'A draft of a migration: its imports in the order in which they need each other. All paths are relative to this file.',
    ...users.map(({ path }) => `${path} is no import, but the table of users for the others.`),
    ...relations.flatMap(leftOut),
  ].flatMap(line => wrapped(comment(line)))
  const stepOf = ({ step, path }: DraftedFile) => [step, { source: path, mapping: `${step}.yaml` }] as const
  const steps = Object.fromEntries(files.filter(isImport).map(stepOf))
  const service = ['', '# base-url: https://api.example.com', '# organization-id: 42']
  return [...comments, ...service, stringify({ steps }, { lineWidth: 0 })].join('\n')
}

function leftOut({ from, to, column, by, left }: Relation): string[] {
  if (left === undefined) return []
  const names = `${quote(column.name)} of ${from.path} names rows of ${to.path} by ${quote(by)}`
  return [`? ${names}, but ${notes.left[left]}. These links are left out. Can they be done without?`]
}
