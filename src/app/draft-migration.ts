import { join, parse, relative, sep } from 'node:path'
import { Readable } from 'node:stream'
import { unpackedName } from '../input/source.ts'
import { type Draft, draftOf } from '../mapping/draft/draft.ts'
import {
  type Drafted,
  draftedFile,
  isImport,
  organizationsIn,
  tablesIn,
} from '../mapping/draft/files/drafted.ts'
import { planText } from '../mapping/draft/files/plan.ts'
import { linksOf } from '../mapping/draft/files/record-links.ts'
import { isOfOrganizations, relationsAmong } from '../mapping/draft/files/relations.ts'
import type { initOptions } from './command-options.ts'
import { lookAt } from './draft.ts'
import type { OptionValues } from './option-values.ts'

/** A plan explains no columns. */
type DraftFile = Readonly<Pick<Draft, 'text'> & Partial<Pick<Draft, 'explained'>> & { path: string }>

const ranks = ['organization', 'mixed', 'person', 'task', 'users']

/** Drafts for several sources: the mappings with their links, then the plan. Throws a SourceError. */
export async function draftMigration(
  sources: readonly string[],
  folder: string,
  options: OptionValues<typeof initOptions>,
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

/** What others refer to as users or organizations is that; organizations that only one file of people names are a file. */
function withTables(files: readonly Drafted[], taken: Set<string>): Drafted[] {
  const tables = files.flatMap(tablesIn)
  const asked = relationsAmong([...tables, ...files]).filter(
    each => each.from.step !== each.to.step && (each.to.kind === 'users' || isOfOrganizations(each)),
  )
  const tableOf = ({ step }: Drafted) => asked.find(({ to }) => to.step === step && tables.includes(to))?.to
  const sorted = files.map(file => tableOf(file) ?? file)
  const [found, ...more] = sorted.flatMap(file => organizationsIn(file) ?? [])
  const isNeeded = found && more.length === 0 && !sorted.some(({ kind }) => kind === 'organization')
  return isNeeded ? [{ ...found, step: stepName('organizations', taken) }, ...sorted] : sorted
}
