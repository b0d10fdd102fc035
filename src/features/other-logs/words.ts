import { counted } from '../../output/text.ts'
import { listed, type Words } from '../../output/words/sentence.ts'

/** Another log with rows of this import. */
export interface OtherLog {
  readonly path: string
  /** The first rows that it has, and those of them that read the same. */
  readonly found: number
  readonly same: number
  /** The day of its last run. */
  readonly day: string
  readonly isPacked: boolean
  readonly changedMs: number
}

const unseen = {
  unreadable: 'cannot be read, and may have the records of these rows → ask its owner for access',
  dangling:
    'is a link to a file that is not there, which may have the records of these rows → mount or mend it',
  gone: 'was the log of an import like this one, and was moved or deleted → put it back, or name its place by {--results}',
} as const

/** Reasons not to begin or go on with a log, because rows may have their records by another one. */
export const otherLogWords = {
  usage: {
    /** The log with the most rows comes first. */
    other_log: ({
      others,
      isStep,
    }: {
      log: string
      others: readonly OtherLog[]
      looked: number
      isStep: boolean
    }) => {
      const [{ found = 0, same = 0, path = '', day = '', isPacked = false } = {}, ...more] = others
      const also =
        more.length > 0
          ? `, others by ${listed(
              more.map(other => other.path),
              3,
            )}`
          : ''
      return [
        `{log}: ${counted(found, 'row')} of the first {#looked} ${found === 1 ? 'has its record' : 'have their record'} by {other} ({day}), {same} of them read the same{also}
          → ${isPacked ? 'unpack it, and go on' : 'go on'} with it by ${isStep ? 'results: in the step' : '{--results}'}, or begin another log by {--new-log}: then these rows are created again`,
        { other: path, day, same, also },
      ]
    },
    import_begun: `{other}: a run began with the same rows, and has not ended
      → wait for its end, then go on with {other} by {--results}; {--new-log} begins another log, and creates the rows again`,
    log_copy: `{copy}: is a copy of {log}, and has {#rows|record} of which {log} knows nothing: these rows would be created again
      → add its lines to {log} (cat "{copy}" >> "{log}"), then move the copy away`,
    other_log_unseen: ({ why }: { path: string; why: keyof typeof unseen }) =>
      `{path}: ${unseen[why] ?? unseen.gone}, or begin another log by {--new-log}: then its rows are created again`,
  },
} as const satisfies Record<string, Words>
