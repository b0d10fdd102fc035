// Step "What is it": both kinds, each with two rows of the file as they would be.
import type { Body } from '../../model/row.ts'
import { recordTypes } from '../../records/record-types.ts'
import type { KindsView } from './api.ts'
import type { Guide } from './guide.ts'
import { provideLookups, recordView } from './samples.ts'
import { CallError } from './server.ts'

const mostSamples = 2
const mostTried = 50

export async function kindsView(file: string, { known, mappings }: Guide): Promise<KindsView> {
  const { mapping: current } = await known.compiled(file)
  const facts = await known.facts(file)
  const choices = await Promise.all(
    recordTypes.map(async record => {
      const isChosen = current?.record === record
      const mapping = isChosen ? current : (await known.draftFor(facts, record)).mapping
      await provideLookups(mapping, mappings)
      const rows = facts.rows.kept.slice(0, mostTried).filter(row => mapping.selects(row))
      const mapped = rows.map(row => mapping.map(row, true))
      const bodies = mapped.flatMap(each => ('body' in each ? each.body : []))
      return { record, samples: bodies.slice(0, mostSamples).map(body => recordView(body as Body)) }
    }),
  )
  return { recognized: facts.preset ?? null, chosen: current?.record ?? null, choices }
}

/** Drafts the mapping anew as one of another record. Throws a CallError. */
export async function redraft(file: string, version: string, record: string, { known, mappings }: Guide) {
  const kind = recordTypes.find(each => each === record)
  if (kind === undefined) throw new CallError('bad_call', `no record ${record}`)
  const draft = await known.draftFor(await known.facts(file), kind)
  await known.fillIn(draft)
  return mappings.edit(file, version, () => draft.text)
}
