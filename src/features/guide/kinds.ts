// Step "What is it": both kinds, each with two rows of the file as they would be.
import type { Body } from '../../model/row.ts'
import { recordTypes } from '../../records/record-types.ts'
import type { KindsView } from './api.ts'
import type { Guide } from './guide.ts'
import { mappedBy, recordView } from './samples.ts'
import { CallError } from './server.ts'

const [mostSamples, mostTried] = [2, 50]

export async function kindsView(file: string, { known, mappings }: Guide): Promise<KindsView> {
  const { mapping: current } = await known.compiled(file)
  const facts = await known.facts(file)
  const choiceOf = async (record: (typeof recordTypes)[number]) => {
    const mapping = current?.record === record ? current : known.draftFor(facts, record).mapping
    const mapped = await mappedBy(mapping, facts.rows.kept.slice(0, mostTried), mappings)
    const bodies = mapped.flatMap(each => (each && 'body' in each ? each.body : []))
    return { record, samples: bodies.slice(0, mostSamples).map(body => recordView(body as Body)) }
  }
  const choices = await Promise.all(recordTypes.map(choiceOf))
  return { recognized: facts.preset ?? null, chosen: current?.record ?? null, choices }
}

/** Drafts the mapping anew as one of another record. Throws a CallError. */
export async function redraft(file: string, version: string, record: string, { known, mappings }: Guide) {
  const kind = recordTypes.find(each => each === record)
  if (kind === undefined) throw new CallError('bad_call', `no record ${record}`)
  const draft = known.draftFor(await known.facts(file), kind)
  await known.fillIn(draft)
  return mappings.edit(file, version, () => draft.text)
}
