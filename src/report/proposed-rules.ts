import { grouped } from './numbers.ts'
import type { ReasonGroup } from './reasons.ts'

/** A rule as it is written under `responses:` of the settings file. */
export interface ProposedRule {
  readonly status: number | readonly number[]
  readonly body?: string
  readonly means: 'throttled'
}

/** Statuses outside every standard that services use for throttling. */
const statuses = new Set([420, 509, 529])

const phrases =
  /rate[ _-]?limit|too many (?:requests|calls)|throttl(?:ed|ing)|slow down|quota exceeded|limit exceeded|per (?:second|minute|hour|day) exceeded|(?:requests|calls) per (?:second|minute|hour|day)/i

/** Rows whose answers look like throttling, by the phrase that says so; `undefined` for those told by their status alone. */
function likeThrottling(groups: Iterable<ReasonGroup>): Map<string | undefined, ReasonGroup[]> {
  const found = new Map<string | undefined, ReasonGroup[]>()
  for (const group of groups) {
    const { code, httpStatus, answer = '' } = group
    const body = phrases.exec(answer)?.[0]?.toLowerCase()
    if (code === 'response_rule' || httpStatus === undefined || isThrottled(httpStatus)) continue
    if (body !== undefined || statuses.has(httpStatus)) found.set(body, [...(found.get(body) ?? []), group])
  }
  return found
}

const isThrottled = (status: number) => status === 408 || status === 429 || status === 503

const rowsOf = (groups: readonly ReasonGroup[]) => groups.reduce((sum, { count }) => sum + count, 0)

const mostProposed = 5

/** A rule for each phrase, that of the most rows first. */
export const proposedRules = (groups: Iterable<ReasonGroup>): ProposedRule[] =>
  [...likeThrottling(groups)]
    .sort(([, a], [, b]) => rowsOf(b) - rowsOf(a))
    .slice(0, mostProposed)
    .map(([body, each]) => {
      const [first = 0, ...others] = [...new Set(each.map(({ httpStatus = 0 }) => httpStatus))].sort(
        (a, b) => a - b,
      )
      return {
        status: others.length === 0 ? first : [first, ...others],
        ...(body !== undefined && { body }),
        means: 'throttled' as const,
      }
    })

/** The rules as lines to paste into a settings file, and what to check before that. */
export function proposalLines(groups: readonly ReasonGroup[], hasRules: boolean): string[] {
  const rows = rowsOf([...likeThrottling(groups).values()].flat())
  if (rows === 0) return []
  const rules = proposedRules(groups).map(ruleText)
  const opening = `The answers to ${rows === 1 ? '1 row look' : `${grouped(rows)} rows look`} like throttling. If they are, and the service makes no record when it answers so,`
  return hasRules
    ? [
        `${opening} add this to responses: in the settings file (--config), and such calls are retried:`,
        ...rules.map(rule => `  - ${rule}`),
      ]
    : [
        `${opening} put this into the settings file (--config), and such calls are retried:`,
        `responses: [${rules.join(', ')}]`,
      ]
}

/** A rule in YAML, which takes strings as JSON writes them. */
function ruleText({ status, body, means }: ProposedRule): string {
  const statuses = typeof status === 'number' ? String(status) : `[${status.join(', ')}]`
  return `{ status: ${statuses}, ${body === undefined ? '' : `body: ${JSON.stringify(body)}, `}means: ${means} }`
}
