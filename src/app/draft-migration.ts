import { join, parse, relative, sep } from 'node:path'
import { Readable } from 'node:stream'
import type { DistinctValues } from '../mapping/draft/columns/distinct-values.ts'
import { type Draft, draftOf } from '../mapping/draft/draft.ts'
import {
  asOrganizations,
  type Drafted,
  draftedFile,
  organizationsIn,
  usersIn,
} from '../mapping/draft/files/drafted.ts'
import { planText } from '../mapping/draft/files/plan.ts'
import { linksOf, withoutKey } from '../mapping/draft/files/record-links.ts'
import { isOfOrganizations, relationsAmong } from '../mapping/draft/files/relations.ts'
import type { Preset } from '../mapping/draft/preset.ts'
import type { initOptions } from './command-options.ts'
import { lookAt } from './draft.ts'
import type { OptionValues } from './option-values.ts'

const ranks = ['organization', 'mixed', 'person', 'task', 'users']

/** Drafts for several sources, by the names of their files: the mappings with their links, then the plan. Throws a SourceError. */
export async function draftMigration(
  sources: readonly string[],
  folder: string,
  options: OptionValues<typeof initOptions>,
): Promise<(Pick<Draft, 'text' | 'explained'> & { readonly name: string })[]> {
  const taken = new Set(['plan', 'parents'])
  const plan = join(folder, 'plan.yaml')
  const presets = new Map<string, Preset | undefined>()
  const single: Drafted[] = []
  for (const source of sources) {
    const values = new Map<string, DistinctValues>()
    const { found, preset } = await lookAt(source, { ...options, output: plan }, Readable.from([]), values)
    const step = stepName(parse(source.replace(/\.gz$/i, '')).name, taken)
    const path = relative(folder, source).replaceAll(sep, '/')
    single.push(draftedFile({ step, path, found, values }, draftOf(found, preset).text))
    presets.set(step, preset)
  }
  const files = withTables(single, taken).sort((a, b) => ranks.indexOf(a.kind) - ranks.indexOf(b.kind))
  const { relations, circular } = relationsAmong(files)
  const lost = withoutKey(relations)
  const links = relations.filter(each => !lost.includes(each))
  const imports = files.filter(({ kind }) => kind !== 'users')
  const drafts = imports.map(file => {
    const record = file.kind === 'task' ? 'task' : 'contact'
    const found = { ...file.found, record, links: linksOf(file, links) } as const
    return { name: `${file.step}.yaml`, ...draftOf(found, presets.get(file.step)) }
  })
  return [...drafts, { name: 'plan.yaml', text: planText(files, lost, circular), explained: [] }]
}

/** Names a step and its files; each name once, whatever its case. */
function stepName(wanted: string, taken: Set<string>): string {
  const plain = wanted
    .replaceAll(/[^\p{L}\p{N}_-]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 80)
  const name = /^\d*$/.test(plain) ? `file-${plain}` : plain
  let free = name
  for (let number = 2; taken.has(free.toLowerCase()); number += 1) free = `${name}-${number}`
  taken.add(free.toLowerCase())
  return free
}

/** What others refer to as users or organizations is that; organizations that only one file of people names are a file. */
function withTables(files: readonly Drafted[], taken: Set<string>): Drafted[] {
  const sorted = files.map(file => {
    const isAsked = (table: Drafted) =>
      relationsAmong([...files.filter(each => each !== file), table]).relations.some(
        relation => relation.to === table && (table.kind === 'users' || isOfOrganizations(relation)),
      )
    return [usersIn(file), asOrganizations(file)].find(table => table && isAsked(table)) ?? file
  })
  const [found, ...more] = sorted.flatMap(file => organizationsIn(file) ?? [])
  const isNeeded = found && more.length === 0 && !sorted.some(({ kind }) => kind === 'organization')
  return isNeeded ? [{ ...found, step: stepName('organizations', taken) }, ...sorted] : sorted
}
