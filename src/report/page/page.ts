import type { PageFacts } from './facts.ts'

/** The page as one HTML file; for now it is the facts as they are. */
export const pageOf = (facts: PageFacts): string =>
  `<!doctype html>\n<meta charset="utf-8">\n<title>${escaped(facts.title)}</title>\n<pre>${escaped(JSON.stringify(facts, null, 2))}</pre>\n`

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
