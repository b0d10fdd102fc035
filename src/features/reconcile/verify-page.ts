// The page of `rowlift verify`: the result in a sentence, how it adds up, and the first of each list.
import { basename } from 'node:path'
import { nextBox } from '../../output/page/headline.ts'
import {
  type Child,
  cellOf,
  html,
  quoted,
  type Section,
  sectionsMarkup,
  table,
} from '../../output/page/html.ts'
import { documentMarkup } from '../../output/page/page.ts'
import { counted, due, grouped } from '../../output/text.ts'
import type { PageFacts } from '../../result/facts.ts'
import { showValue } from '../../result/short-texts.ts'
import type { Comparison } from './comparison.ts'
import { firstItems } from './doubts-text.ts'

/** What a list tells of a record; the line is that of the export, unless the record is missing there. */
type Entry = Readonly<
  Partial<Record<'record_id' | 'key' | 'source' | 'path' | 'same_as', string | undefined>> &
    Partial<Record<'row' | 'line', number | undefined> & Record<'sent' | 'found', unknown>>
>

interface Verification extends Pick<Comparison, 'names'> {
  readonly counts: ReturnType<Comparison['counts']> & { readonly in_doubt: number; readonly spare?: number }
  readonly isCompared: boolean
  readonly lists: () => Readonly<Record<string, AsyncIterable<Entry> | Iterable<Entry>>>
}

type Facts = Pick<PageFacts, 'createdAt' | 'version'> &
  Readonly<{ log: string; args: readonly string[]; against: string }>

/** Returns the page; `sums` are the sentences that say how the counts add up. */
export async function verificationPage(
  facts: Facts,
  sums: readonly string[],
  verification: Verification,
): Promise<string> {
  const { log, args, against } = facts
  const { missing, different, spare = 0, in_doubt: inDoubt } = verification.counts
  const type = missing + different + spare > 0 ? 'attention' : 'done'
  const settle = {
    advice: `Look in the service for the ${counted(inDoubt, 'row')} in doubt, and settle them`,
    args: ['resolve', ...args],
  }
  const lead = [
    html`<p class="verdict ${type}">${verdictOf(verification)}</p>`,
    inDoubt > 0 && nextBox([settle]),
    sums.map(line => html`<p>${line}</p>`),
  ]
  const title = `${basename(log)} compared with ${basename(against)}`
  const sections = sectionsMarkup(await sectionsOf(verification), 'h2')
  return documentMarkup({ ...facts, title, kind: 'Verification by an export' }, lead, '', sections)
}

/** `25 of 27 records are in the export, 2 are missing, 1 has other values than were sent.` */
function verdictOf({ counts, isCompared }: Verification): string {
  const { records, found, missing, same, different, spare = 0 } = counts
  const amount = missing > 0 ? `${grouped(found)} of ` : records > 1 ? 'All ' : ''
  const parts = due(
    `${amount}${counted(records, 'record')} ${found === 1 ? 'is' : 'are'} in the export`,
    missing > 0 && `${counted(missing, 'is', 'are')} missing`,
    different > 0 && `${counted(different, 'has', 'have')} other values than were sent`,
    spare > 0 && `${counted(spare, 'more record')} may be spare`,
  )
  const isSame = isCompared && same === records
  return `${parts.join(', ')}${isSame ? ', with the values that were sent' : ''}.`
}

const titles: Readonly<Record<string, string>> = {
  spare: 'Perhaps made twice',
  missing: 'Missing in the export',
  unknown: 'Made by no row of the log',
  different: 'Other values than were sent',
}
const columns = ['Record', 'Row', 'Line of the export', 'Field', 'Sent', 'In the export', 'Record of the row']
const mostOnPage = 1_000
const longestValue = 400

/** The lists that are not empty, with the names of their records. */
async function sectionsOf({ lists, names }: Verification): Promise<Section[]> {
  const shown = (value: unknown) => cellOf(showValue(value ?? '', longestValue))
  const cellsOf = ({ record_id: id = '', key, same_as: own, path, ...entry }: Entry): Child[] => [
    html`${quoted(names.records.get(id) ?? names.rows.get(key ?? '') ?? '')}<div><code>${id}</code></div>`,
    key !== undefined && html`${quoted(key)}<div><small>${entry.source}, row ${entry.row}</small></div>`,
    (key === undefined || own !== undefined) && entry.line,
    path,
    ...[entry.sent, entry.found].map(value => path !== undefined && shown(value)),
    own !== undefined && html`<code>${own}</code>`,
  ]
  const sections: Section[] = []
  for (const [id, items] of Object.entries(lists())) {
    const entries = await firstItems(items, mostOnPage)
    const title = titles[id] ?? id
    const isCut = entries.length === mostOnPage
    const cut = isCut && html`<p>Only the first ${grouped(mostOnPage)} are here.</p>`
    if (entries.length > 0)
      sections.push({ id, title, body: [cut, table(title, columns, entries.map(cellsOf))] })
  }
  return sections
}
