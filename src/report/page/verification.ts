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
    const cells = shown.map(item => Object.values(item).map(String))
    const body = table(title, Object.keys(shown[0] ?? {}), cells)
    if (shown.length > 0) sections.push({ id: title, title, body })
  }
  const lead = describeVerified(facts.title, against, verification).map(line => html`<p>${line}</p>`)
  return documentMarkup({ ...facts, parts: [] }, lead, '', sectionsMarkup(sections, 'h2', ''))
}
