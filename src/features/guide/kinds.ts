// Step "What is it": both kinds, each with two rows of the file as they would be.
import { recordTypes } from '../../records/record-types.ts'
import type { Guide } from './guide.ts'
import productNames from './products.json' with { type: 'json' }
import { recordView } from './record-view.ts'
import { mappedBy } from './samples.ts'
import { CallError } from './server.ts'
import type { Seen } from './views.ts'

const [mostSamples, mostTried] = [2, 50]
const products: Readonly<Record<string, string>> = productNames

/** `recognized` is the product whose export it is. */
export async function kindsView(file: string, { known, mappings }: Guide) {
  const { mapping: current } = await known.compiled(file)
  const facts = await known.facts(file)
  const choiceOf = async (record: (typeof recordTypes)[number]) => {
    const mapping = current?.record === record ? current : known.draftFor(facts, record).mapping
    const mapped = await mappedBy(mapping, facts.rows.kept.slice(0, mostTried), mappings)
    const bodies = mapped.flatMap(each => (each && 'body' in each ? each.body : []))
    return { record, samples: bodies.slice(0, mostSamples).map(recordView) }
  }
  const choices = await Promise.all(recordTypes.map(choiceOf))
  const recognized = facts.preset === undefined ? null : (products[facts.preset] ?? facts.preset)
  return { recognized, chosen: current?.record ?? null, choices }
}

/** Drafts the mapping anew as one of another record; `undo` has the old text. Throws a CallError. */
export async function redraft({ file, version }: Seen, record: string, { known, mappings }: Guide) {
  const kind = recordTypes.find(each => each === record)
  if (kind === undefined) throw new CallError('bad_call', `no record ${record}`)
  const draft = known.draftFor(await known.facts(file), kind)
  await known.fillIn(draft)
  return mappings.edit(file, version, () => draft.text)
}
