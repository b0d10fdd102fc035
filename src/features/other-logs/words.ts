import { counted } from '../../output/text.ts'
import { listed, type Words } from '../../output/words/sentence.ts'

const unseen = {
  unreadable: 'cannot be read, and may have the records of these rows → ask its owner for access',
  dangling:
    'is a link to a file that is not there, which may have the records of these rows → mount or mend it',
  lost: 'lacks what its last run wrote, as an emptied log or another copy does → put the whole log back, or name its place by {--results}',
  gone: 'was the log of an import like this one, and was moved or deleted → put it back, or name its place by {--results}',
} as const

/** Reasons not to begin or go on with a log, because rows may have their records by another one. */
export const otherLogWords = {
  usage: {
    /** Of the first `looked` rows `found` are in `other`, `recorded` of them with their record, whose last run was on `day`; `others` have some, too. */
    other_log: (p: {
      log: string
      other: string
      found: number
      same: number
      recorded: number
      day: string
      looked: number
      others: readonly string[]
      isPacked: boolean
      isStep: boolean
    }) => [
      `{log}: {#found} of the first {#looked|row} ${p.recorded < p.found ? 'were sent or refused by' : 'have their record by'} {other} ({day}), {#same} of them read the same{also}
        → ${p.isPacked ? 'unpack it, and go on' : 'go on'} with it by ${p.isStep ? 'results: in the step' : '{--results}'}, or begin another log by {--new-log}: then these rows are created again`,
      { also: p.others?.length > 0 ? `, others by ${listed(p.others, 3)}` : '' },
    ],
    import_begun: `{other}: a run began with the same rows, and has not ended
      → wait for its end, then go on with {other} by {--results}; {--new-log} begins another log, and creates the rows again`,
    log_copy: (p: { log: string; copy: string; rows: number; isPacked: boolean }) =>
      `{copy}: is a copy of {log}, and has {#rows|record} of which {log} knows nothing: these rows would be created again
      → ${p.isPacked ? 'unpack it beside the log, then {$again}, which says how to go on' : 'add its lines to {log} (cat "{copy}" >> "{log}"), then move the copy away'}`,
    other_log_unseen: (p: { path: string; why: keyof typeof unseen }) =>
      `{path}: ${unseen[p.why] ?? unseen.gone}, or begin another log by {--new-log}: then its rows are created again`,
  },
  news: {
    other_host: ({ host }: { readonly host: string }) =>
      `the result log was last written on ${host}; if both machines have a copy of it, the newer one must be here`,
  },
  warnings: {
    /** Records of the first rows are created again: the other log is of another service (`place`), or `--new-log` says so. */
    other_log_passed: ({
      log,
      found,
      place,
    }: Readonly<{ log: string; found: number; place?: string | undefined }>) =>
      `${counted(found, 'of the first rows has its record', 'of the first rows have their record')} by ${log}${place === undefined ? '; --new-log creates them again' : `, of ${place}; if that is the same service and organization as now, stop this run: it creates them again`}`,
    register_failed: ({ path, reason }: Readonly<{ path: string; reason: string }>) =>
      `${path}: the register of logs cannot be written (${reason}); a run from another folder may not find this log`,
  },
} as const satisfies Record<string, Words>
