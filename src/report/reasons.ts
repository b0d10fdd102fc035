import type { LineError } from '../journal/lines.ts'
import type { RowIdentity } from '../model/row.ts'
import { describeCode } from './words.ts'

type BadStatus = 'invalid' | 'failed' | 'in_doubt'

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
  /** It stands for all reasons that came too late for a group of their own. */
  readonly isRest?: true
}

export interface Example {
  readonly identity: RowIdentity
  readonly error: LineError
}

const mostGroups = 1000
const mostExamples = 3
const longestAnswer = 120

/** Why rows have no record, in groups; bounded, however many rows there are. */
export class Reasons {
  readonly groups = new Map<string, ReasonGroup>()

  /** Adds one thing that is wrong with a row, and returns its group. */
  add(status: BadStatus, httpStatus: number | undefined, { error, identity }: Example): ReasonGroup {
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
    group.count += 1
    if (group.examples.length < mostExamples) group.examples.push({ error, identity })
    this.groups.set(key ?? status, group)
    return group
  }

  /** Undefined for a reason that comes too late for a group of its own. */
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
