// Step "What is it": both kinds, each with two rows of the file as they would be.
import { existsSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import type { RecordType } from '../../records/kinds.ts'
import { recordTypes } from '../../records/record-types.ts'
import type { Guide } from './guide.ts'
import productNames from './products.json' with { type: 'json' }
import { mappedBy, recordView } from './samples.ts'
import { CallError } from './server.ts'
import type { Seen } from './views.ts'

const [mostSamples, mostTried] = [2, 50]
const products: Readonly<Record<string, string>> = productNames

/** `recognized` is the product whose export it is; `both` makes two records of each row. */
export async function kindsView(of: string, { known, mappings }: Guide) {
  const file = mappings.imports.includes(of) ? of : mappings.sourceOf(of) // it may just have been set aside
  const { mapping: current } = await known.compiled(file)
  const facts = await known.facts(file)
  const choiceOf = async (record: (typeof recordTypes)[number]) => {
    const mapping = current?.record === record ? current : known.draftFor(facts, record).mapping
    const mapped = await mappedBy(mapping, facts.rows.kept.slice(0, mostTried), mappings)
    const bodies = mapped.flatMap(each => (each && 'body' in each ? each.body : []))
    return { record, samples: bodies.slice(0, mostSamples).map(recordView) }
  }
  const kinds = await Promise.all(recordTypes.map(choiceOf))
  const both = { record: 'both' as const, samples: kinds.flatMap(({ samples }) => samples.slice(0, 1)) }
  const isBoth = mappings.secondsOf(mappings.sourceOf(file)).length > 0
  const recognized = facts.preset === undefined ? null : (products[facts.preset] ?? facts.preset)
  const chosen = isBoth ? both.record : (current?.record ?? null)
  return { recognized, chosen, choices: [...kinds, both] }
}

/**
 * Drafts the mapping of a source as one of this record. If its rows are to become both, the other record gets a mapping of its own
 * beside it, which is set aside while they are not. Throws a CallError.
 */
export async function chooseKind(file: string, record: RecordType | 'both', guide: Guide) {
  const { jobs, known, mappings } = guide
  jobs.checkIdle()
  const source = mappings.sourceOf(file)
  const { version, mapping } = await known.compiled(source)
  const seconds = mappings.secondsOf(source)
  const asideOf = (second: string) => `${mappings.pathOf(second)}.old`
  if (record === 'both') {
    const [other] = recordTypes.filter(each => each !== mapping?.record)
    const second = `${source}:${other}`
    if (seconds.length > 0) return { version }
    if (existsSync(asideOf(second))) await rename(asideOf(second), mappings.pathOf(second))
    else await known.make(second, other)
    return { version }
  }
  for (const second of seconds) await rename(mappings.pathOf(second), asideOf(second))
  return mapping?.record === record ? { version } : redraft({ file: source, version }, record, guide)
}

/** Drafts the mapping anew as one of another record; `undo` has the old text. Throws a CallError. */
export async function redraft({ file, version }: Seen, record: string, { known, mappings }: Guide) {
  const kind = recordTypes.find(each => each === record)
  if (kind === undefined) throw new CallError('bad_call', `no record ${record}`)
  const draft = known.draftFor(await known.facts(file), kind)
  await known.fillIn(draft)
  return mappings.edit(file, version, () => draft.text)
}
