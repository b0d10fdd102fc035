// The findings of `rowlift verify`: on a terminal, as JSON, and on its page.

import { html, type Section, sectionsMarkup, table } from '../../output/page/html.ts'
import { documentMarkup } from '../../output/page/page.ts'
import { commandLine, counted, due, grouped, visibleJson } from '../../output/text.ts'
import type { PageFacts } from '../../result/facts.ts'
import type { Comparison } from './comparison.ts'
import { cellsOf, describeWithoutId, firstOf, type List, tableText } from './doubts-text.ts'

export interface Verification {
  readonly counts: ReturnType<Comparison['counts']> & { readonly in_doubt: number }
  /** Set if fields were compared. */
  readonly isCompared: boolean
  readonly lists: () => Readonly<Record<'missing' | 'unknown' | 'different', List>>
}

/** Writes one object, and its lists as they are read. */
export async function* verificationJson({ counts, lists }: Verification): AsyncGenerator<string> {
  yield `{"counts":${JSON.stringify(counts)}`
  for (const [name, items] of Object.entries(lists())) {
    let before = `,\n"${name}":[`
    for await (const item of items) {
      yield visibleJson(`${before}\n${JSON.stringify(item)}`)
      before = ','
    }
    yield before === ',' ? ']' : `${before}]`
  }
  yield '}\n'
}

const mostInTable = 20

/** Writes the first of each list. */
export async function* verificationTables({ lists }: Verification): AsyncGenerator<string> {
  for (const [name, items] of Object.entries(lists())) {
    const text = tableText(await firstOf(items, mostInTable))
    if (text !== '') yield `${name}\n${text}`
  }
}

/** Describes the counts, so that they add up, each sentence on a line. */
export function describeVerified(
  log: string,
  against: string,
  { counts, isCompared }: Verification,
): string[] {
  const sum = (whole: string, ...parts: (readonly [number, string])[]) =>
    `${whole} = ${parts.map(([count, what]) => `${grouped(count)} ${what}`).join(' + ')}`
  const { records, exported, found, missing, unknown, same, different, changed } = counts
  const left = counts.not_compared
  const gone = `${grouped(left - changed)} do not come any more or were not made by the last mapping`
  const why = left > 0 ? ` (${grouped(changed)} read differently now, ${gone})` : ''
  const inDoubt = `${counted(counts.in_doubt, 'row is', 'rows are')} in doubt: ${commandLine(['resolve', log])}`
  return due(
    `${log}: ${sum(counted(records, 'record'), [found, 'found'], [missing, 'missing there'])}`,
    `${against}: ${sum(counted(exported, 'record'), [found, 'found'], [unknown, 'that no row made'])}`,
    isCompared &&
      sum(`${grouped(found)} found`, [same, 'same'], [different, 'different'], [left, `not compared${why}`]),
    counts.in_doubt > 0 && inDoubt,
    counts.without_id > 0 && describeWithoutId(counts.without_id, against),
  )
}

const mostOnPage = 1_000

/** The page of `rowlift verify`: the counts, and the first of each list. */
export async function verificationPage(
  facts: Pick<PageFacts, 'title' | 'createdAt' | 'version'>,
  against: string,
  verification: Verification,
): Promise<string> {
  const sections: Section[] = []
  for (const [title, items] of Object.entries(verification.lists())) {
    const [columns, ...cells] = cellsOf(await firstOf(items, mostOnPage))
    if (columns !== undefined) sections.push({ id: title, title, body: table(title, columns, cells) })
  }
  const lead = describeVerified(facts.title, against, verification).map(line => html`<p>${line}</p>`)
  return documentMarkup({ ...facts, parts: [] }, lead, '', sectionsMarkup(sections, 'h2', ''))
}
