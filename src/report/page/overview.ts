import { grouped } from '../numbers.ts'
import { marked, table } from './elements.ts'
import type { Part } from './facts.ts'
import { type Child, html, quoted } from './html.ts'
import type { Section } from './section.ts'
import { haveRecord, needAttention, standingOf, wouldBeRefused, wouldBeSent } from './standing.ts'
import { capital, needing, withRecord } from './words.ts'

/** A line for each part, with a link to it. */
export const overview = (parts: readonly Part[], idOf: (at: number) => string): Section => ({
  id: 'overview',
  title: 'The steps',
  body: table(
    'The steps',
    [
      { title: 'Step' },
      { title: allDry(parts) ? 'Would be sent' : 'With record', isNumber: true },
      { title: allDry(parts) ? 'Invalid' : 'Need attention', isNumber: true },
      { title: 'How it stands' },
    ],
    parts.map((part, at) => [
      html`<a href="#${idOf(at)}">${quoted(part.name)}</a>`,
      grouped(goodRows(part)),
      grouped(badRows(part)),
      standingCell(part),
    ]),
  ),
})

const states = { done: 'complete', attention: 'needs attention', stopped: 'stopped early' } as const
const stateMarks = { done: 'created', attention: 'invalid', stopped: 'failed' } as const

const standingCell = (part: Part): Child => {
  const { is } = standingOf(part)
  return marked(stateMarks[is], part.is === 'dry_run' && is === 'done' ? 'ready' : states[is])
}

/** How all parts together stand, in a sentence. */
export function overallSentence(parts: readonly Part[]): string {
  const done = parts.filter(part => standingOf(part).is === 'done').length
  const steps = `${done === parts.length ? 'All' : `${done} of`} ${parts.length} steps ${done === 1 ? 'is' : 'are'} ${allDry(parts) ? 'ready' : 'complete'}`
  const good = total(parts, goodRows)
  const bad = total(parts, badRows)
  const rowsTold = allDry(parts) ? `${grouped(good)} rows would be sent` : withRecord(good)
  const badTold = bad === 0 ? '' : `, ${allDry(parts) ? `${grouped(bad)} are invalid` : needing(bad)}`
  return `${steps}. ${capital(rowsTold)}${badTold}.`
}

/** Whether nothing was sent in any part. */
export const allDry = (parts: readonly Part[]): boolean =>
  parts.length > 0 && parts.every(({ is }) => is === 'dry_run')
const goodRows = (part: Part) => (part.is === 'log' ? haveRecord(part) : wouldBeSent(part))
const badRows = (part: Part) => (part.is === 'log' ? needAttention(part) : wouldBeRefused(part))
const total = (parts: readonly Part[], count: (part: Part) => number) =>
  parts.reduce((sum, part) => sum + count(part), 0)
