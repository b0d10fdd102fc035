import type { DryRunPart, LogPart, Part } from './facts.ts'
import { capital, needing, rows, withRecord } from './words.ts'

/** How a part stands, in a sentence, and whether there is something to do. */
export interface Standing {
  readonly is: 'done' | 'attention' | 'stopped'
  readonly sentence: string
}

export const standingOf = (part: Part): Standing =>
  part.is === 'log' ? logStanding(part) : dryRunStanding(part)

export const haveRecord = ({ now }: LogPart): number => now.created + now.existing
export const needAttention = ({ now }: LogPart): number => now.invalid + now.failed + now.inDoubt

/** The ends of a dry run's rows. */
export const wouldBeSent = ({ lastRun }: DryRunPart): number => lastRun.rows.valid ?? 0
export const wouldBeRefused = ({ lastRun }: DryRunPart): number => lastRun.rows.invalid ?? 0

function logStanding(part: LogPart): Standing {
  const have = haveRecord(part)
  const need = needAttention(part)
  const stopped = part.lastRun?.stopped !== undefined
  const is = stopped ? 'stopped' : need > 0 ? 'attention' : 'done'
  if (need > 0) return { is, sentence: `${capital(withRecord(have))}, ${needing(need)}.` }
  if (have === 0) return { is, sentence: 'No row has come to an end yet.' }
  const isAll = part.lastRun?.next === undefined && !stopped
  return { is, sentence: isAll ? allHave(have) : `${capital(withRecord(have))}.` }
}

const allHave = (count: number) =>
  count === 1 ? 'The one row has its record.' : `All ${rows(count)} have their record.`

function dryRunStanding(part: DryRunPart): Standing {
  const send = wouldBeSent(part)
  const refuse = wouldBeRefused(part)
  const stopped = part.lastRun.stopped !== undefined
  const is = stopped ? 'stopped' : refuse > 0 ? 'attention' : 'done'
  if (refuse > 0)
    return {
      is,
      sentence: `${capital(sent(send))}, ${refuse === 1 ? '1 is' : `${rows(refuse)} are`} invalid.`,
    }
  const isAll = send > 1 && !stopped
  return { is, sentence: isAll ? `All ${sent(send)}.` : `${capital(sent(send))}.` }
}

const sent = (count: number) => `${count === 0 ? 'no row' : rows(count)} would be sent`
