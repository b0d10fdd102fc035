// Why rows have no record, in groups, and the rules for answers that such groups suggest.
import type { LineError } from '../journal/lines.ts'
import type { RowIdentity } from '../model/row.ts'
import type { BadStatus } from './page/facts.ts'
import { grouped } from './text.ts'
import { describeCode } from './words.ts'

/** Rows without a record for the same reason: one status, column and code, and the same start of the service's answer. */
export interface ReasonGroup {
  readonly status: BadStatus
  readonly httpStatus: number | undefined
  /** Undefined for lines that 0.1 wrote, and for the rest. */
  readonly code: string | undefined
  /** The column or field, and what is wrong; without the parameters in which the rows differ. */
  reason: string
  /** The start of the service's answer, without numbers and ids; undefined where there was none. */
  readonly answer: string | undefined
  count: number
  /** The first of them. */
  readonly examples: Example[]
  /** All reasons after the first 1000. */
  readonly isRest?: true
}

export interface Example {
  readonly identity: RowIdentity
  readonly error: LineError
}

const mostGroups = 1000
const mostExamples = 3
const mostReasons = 10
const longestAnswer = 120

export interface BadRow {
  readonly status: BadStatus
  readonly httpStatus: number | undefined
  readonly identity: RowIdentity
  readonly errors: readonly LineError[]
}

/** Groups of rows, in bounded memory. A row counts once for each of its reasons. */
export class Reasons {
  readonly groups = new Map<string, ReasonGroup>()
  /** Whether a row has several reasons, so that the counts come to more than the rows. */
  overlap = false

  /** The reasons of the most rows, at most ten. */
  get mostFrequent(): ReasonGroup[] {
    return [...this.groups.values()].sort((a, b) => b.count - a.count).slice(0, mostReasons)
  }

  /** The same for programs. */
  facts() {
    return this.mostFrequent.map(({ status, code, count, reason, examples }) => ({
      status,
      ...(code !== undefined && { code }),
      reason,
      count,
      examples: examples.map(({ identity: { source, row, line } }) => ({ source, row, line })),
    }))
  }

  /** Adds a row to the group of each of its reasons; returns these groups with the first error of each. */
  add(row: BadRow): ReadonlyMap<ReasonGroup, LineError> {
    const found = new Map<ReasonGroup, LineError>()
    for (const error of row.errors) {
      const group = this.#groupOf(row, error)
      if (!found.has(group)) found.set(group, error)
    }
    for (const [group, error] of found) {
      group.count += 1
      if (group.examples.length < mostExamples) group.examples.push({ identity: row.identity, error })
    }
    this.overlap ||= found.size > 1
    return found
  }

  #groupOf({ status, httpStatus }: BadRow, error: LineError): ReasonGroup {
    const { code, message, body } = error
    const place = error.column ?? error.path
    const answer = body === undefined ? undefined : answerStart(body)
    const key = this.#roomFor([status, httpStatus, place, code ?? message, answer].join('\0'))
    const group =
      this.groups.get(key ?? status) ??
      newGroup({ status, httpStatus, answer }, key === undefined ? undefined : error)
    const reason = at(place, message)
    if (code !== undefined && group.reason !== reason && !group.isRest)
      group.reason = at(place, describeCode(code) ?? message)
    this.groups.set(key ?? status, group)
    return group
  }

  /** Undefined if there is no room for another group. */
  #roomFor(key: string): string | undefined {
    return this.groups.size < mostGroups || this.groups.has(key) ? key : undefined
  }
}

const at = (place: string | undefined, words: string | undefined) => [place, words].filter(Boolean).join(' ')

function newGroup(
  about: Pick<ReasonGroup, 'status' | 'httpStatus' | 'answer'>,
  error: LineError | undefined,
): ReasonGroup {
  const group = { ...about, code: error?.code, reason: 'other reasons', count: 0, examples: [] }
  if (error === undefined) return { ...group, httpStatus: undefined, answer: undefined, isRest: true }
  return { ...group, reason: at(error.column ?? error.path, error.message) }
}

const variable =
  /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}|[^\s"'<>()@]{1,64}@[^\s"'<>()@]{1,255}|\d+/gi

/** The start of an answer without what differs from row to row: ids, addresses and numbers. */
const answerStart = (text: string): string =>
  text
    .slice(0, 4 * longestAnswer)
    .replaceAll(variable, '…')
    .slice(0, longestAnswer)

/** A rule as it is written under `responses:` of the settings file. */
export interface ProposedRule {
  readonly status: number | readonly number[]
  readonly body?: string
  readonly means: 'throttled'
}

/** Statuses outside of all standards that services use for throttling. */
const statuses = new Set([420, 509, 529])

const phrases =
  /rate[ _-]?limit|too many (?:requests|calls)|throttl(?:ed|ing)|slow down|quota exceeded|limit exceeded|per (?:second|minute|hour|day) exceeded|(?:requests|calls) per (?:second|minute|hour|day)/i

/** Rows whose answers look like throttling, by the phrase that says so; `undefined` if the status says so. */
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
