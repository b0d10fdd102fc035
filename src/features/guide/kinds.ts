// Step "What is it": both kinds, each with two rows of the file as they would be.
import { rename } from 'node:fs/promises'
import type { RecordType } from '../../records/kinds.ts'
import { recordTypes } from '../../records/record-types.ts'
import type { Guide } from './guide.ts'
import products from './products.json' with { type: 'json' }
import { mappedBy, recordView } from './samples.ts'
import { CallError, type Of, type Seen } from './server.ts'

const [mostSamples, mostTried] = [2, 50]

/** `recognized` is the product whose export it is; `both` makes two records of each row. */
export async function kindsView({ file: of }: Of, { known, mappings }: Guide) {
  const file = mappings.imports.includes(of) ? of : mappings.sourceOf(of) // it may just have been set aside
  const { mapping: current, facts } = await known.read(file)
  const choiceOf = async (record: (typeof recordTypes)[number]) => {
    const mapping = current?.record === record ? current : known.draftFor(facts, record).draft.mapping
    const mapped = await mappedBy(mapping, facts.rows.kept.slice(0, mostTried), mappings)
    const bodies = mapped.flatMap(each => (each && 'body' in each ? each.body : []))
    return { record, samples: bodies.slice(0, mostSamples).map(recordView) }
  }
  const kinds = await Promise.all(recordTypes.map(choiceOf))
  const both = { record: 'both' as const, samples: kinds.flatMap(({ samples }) => samples.slice(0, 1)) }
  const isBoth = mappings.secondsOf(mappings.sourceOf(file)).length > 0
  const recognized =
    facts.preset === undefined ? null : String(Object(products)[facts.preset] ?? facts.preset)
  const chosen = isBoth ? both.record : (current?.record ?? null)
  return { recognized, chosen, choices: [...kinds, both] }
}

/**
 * Drafts the mapping of a source as one of this record. If its rows are to become both, the other record gets a mapping of its own
 * beside it, which is set aside while they are not. Throws a CallError.
 */
export async function chooseKind(
  { file, record }: Of & { readonly record: RecordType | 'both' },
  guide: Guide,
) {
  const { known, mappings } = guide
  const source = mappings.sourceOf(file)
  const { version, mapping } = await known.compiled(source)
  const seconds = mappings.secondsOf(source)
  const asideOf = (second: string) => `${mappings.pathOf(second)}.old`
  if (record === 'both' && seconds.length === 0) {
    const [other] = recordTypes.filter(each => each !== mapping?.record)
    const second = `${source}:${other}`
    await rename(asideOf(second), mappings.pathOf(second)).catch(() => known.make(second, other))
  }
  if (record === 'both') return { version }
  for (const second of seconds) await rename(mappings.pathOf(second), asideOf(second))
  return mapping?.record === record ? { version } : redraft({ file: source, version }, record, guide)
}

/** Drafts the mapping anew as one of another record; `undo` has the old text. Throws a CallError. */
export async function redraft({ file, version }: Seen, record: string, { known, mappings }: Guide) {
  const kind = recordTypes.find(each => each === record)
  if (kind === undefined) throw new CallError('bad_call', `no record ${record}`)
  const { draft } = known.draftFor((await known.read(file)).facts, kind)
  await known.fillIn(draft)
  return mappings.edit(file, version, () => draft.text)
}
