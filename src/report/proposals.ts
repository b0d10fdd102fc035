import type { LikeThrottling } from '../model/throttling.ts'
import { grouped } from './numbers.ts'

/** A rule as it is written under `responses:` of the settings file. */
export interface ProposedRule {
  readonly status: number | readonly number[]
  readonly body?: string
  readonly means: 'throttled'
}

const mostProposed = 5

/** Rules for answers that look like throttling, one for each wording, that of the most rows first. */
export function proposedRules(answers: Iterable<LikeThrottling>): ProposedRule[] {
  const byWords = new Map<string | undefined, { statuses: number[]; count: number }>()
  for (const { words, httpStatus, count } of answers) {
    const known = byWords.get(words) ?? { statuses: [], count: 0 }
    byWords.set(words, { statuses: [...known.statuses, httpStatus], count: known.count + count })
  }
  return [...byWords]
    .sort(([, a], [, b]) => b.count - a.count)
    .slice(0, mostProposed)
    .map(([words, { statuses }]) => ruleOf(statuses, words))
}

function ruleOf(statuses: readonly number[], words: string | undefined): ProposedRule {
  const [first = 0, ...others] = [...statuses].sort((a, b) => a - b)
  return {
    status: others.length === 0 ? first : [first, ...others],
    ...(words !== undefined && { body: words }),
    means: 'throttled',
  }
}

/** The rules as lines to paste into a settings file, and what to know before that. */
export function proposalLines(answers: readonly LikeThrottling[], hasRules: boolean): string[] {
  const rules = proposedRules(answers).map(ruleText)
  if (rules.length === 0) return []
  const count = answers.reduce((sum, answer) => sum + answer.count, 0)
  const opening = `The answers to ${count === 1 ? '1 row look' : `${grouped(count)} rows look`} like throttling. If they are, and the service makes no record when it answers so,`
  return hasRules
    ? [
        `${opening} add this to responses: in the settings file (--config), and such calls are tried again:`,
        ...rules.map(rule => `  - ${rule}`),
      ]
    : [
        `${opening} put this into the settings file (--config), and such calls are tried again:`,
        `responses: [${rules.join(', ')}]`,
      ]
}

/** A rule in YAML, which takes strings as JSON writes them. */
function ruleText({ status, body, means }: ProposedRule): string {
  const statuses = typeof status === 'number' ? String(status) : `[${status.join(', ')}]`
  return `{ status: ${statuses}, ${body === undefined ? '' : `body: ${JSON.stringify(body)}, `}means: ${means} }`
}
