import { cellsOf } from '../export-text.ts'
import { describeVerified, firstOf, type Verification } from '../verification.ts'
import type { PageFacts } from './facts.ts'
import { html, type Section, sectionsMarkup, table } from './html.ts'
import { documentMarkup } from './page.ts'

const mostRows = 1_000

/** The page of `rowlift verify`: the counts, and the first of each list. */
export async function verificationPage(
  facts: Pick<PageFacts, 'title' | 'createdAt' | 'version'>,
  against: string,
  verification: Verification,
): Promise<string> {
  const sections: Section[] = []
  for (const [title, items] of Object.entries(verification.lists())) {
    const shown = await firstOf(items, mostRows)
    const [columns, ...cells] = cellsOf(shown)
    if (columns !== undefined) sections.push({ id: title, title, body: table(title, columns, cells) })
  }
  const lead = describeVerified(facts.title, against, verification).map(line => html`<p>${line}</p>`)
  return documentMarkup({ ...facts, parts: [] }, lead, '', sectionsMarkup(sections, 'h2', ''))
}
