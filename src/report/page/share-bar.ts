import type { Part } from './facts.ts'
import { html, type Markup } from './html.ts'
import { wouldBeRefused, wouldBeSent } from './standing.ts'

const width = 1000
/** What is few can still be seen. */
const narrowest = 6
const gap = 3

/** How the rows are shared among their ends; the figures tell the same. */
export function shareBar(part: Part): Markup | undefined {
  const shares = sharesOf(part).filter(([, count]) => count > 0)
  const total = shares.reduce((sum, [, count]) => sum + count, 0)
  if (total === 0) return undefined
  const wide = shares.map(([, count]) => Math.max(narrowest, (count / total) * width))
  const scale = (width - gap * (shares.length - 1)) / wide.reduce((sum, each) => sum + each, 0)
  let x = 0
  const bars = shares.map(([status], at) => {
    const own = (wide[at] ?? 0) * scale
    const bar = html`<rect class="${status}" x="${x.toFixed(1)}" width="${own.toFixed(1)}" height="10"/>`
    x += own + gap
    return bar
  })
  return html`<svg class="shares" viewBox="0 0 ${width} 10" preserveAspectRatio="none" aria-hidden="true">${bars}</svg>`
}

const sharesOf = (part: Part): readonly (readonly [status: string, count: number])[] =>
  part.is === 'log'
    ? [
        ['created', part.now.created],
        ['existing', part.now.existing],
        ['in_doubt', part.now.inDoubt],
        ['failed', part.now.failed],
        ['invalid', part.now.invalid],
      ]
    : [
        ['valid', wouldBeSent(part)],
        ['invalid', wouldBeRefused(part)],
      ]
