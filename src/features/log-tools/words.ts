import type { Words } from '../../output/words/sentence.ts'

export const logToolWords = {
  rows: {
    not_rekeyed: `is not in the log that was re-keyed, where a record without a row may be this one's
      → if so, settle it with the id of that record (rowlift log RESULTS --ids lists it); else with --not-created`,
  },
  usage: {
    log_options: `these options do not go together
      → rowlift log RESULTS with one of --ids [--run ID] [--all] [--reverse], --json, --repair, --rekey MAPPING SOURCE... [--leave-unfound], --moved-to URL [--yes], --forget and --run ID or --keys FILE [--from EXPORT --id COLUMN] [--yes]`,
    log_of_ledger: `{-option} writes a result log, and that of a ledger is only read
      → settle rows in doubt by rowlift resolve; for anything else stop all workers, write the log by rowlift export, and go on with that file alone ({--results})`,
    moved_from_sandbox: `{log}: belongs to {before} on this machine, and its ids mean nothing at {now}; its {#records|record} would be created again there
      → import into another log by --results`,
    move_unconfirmed: `{log}: would move from {before} to {now}, with {#records|record} and {#inDoubt|row} in doubt; the next import goes on there
      → add --yes if that service has these very records`,
    forget_unconfirmed: `{log}: {#rows|row} would be forgotten, and the next import would send them again
      → delete the records that are listed, then add --yes; or let an export show what is gone: --from EXPORT --id COLUMN`,
    export_of_others: `{path}: has none of the records that the log has, but for those to forget
      → is it that of this service and organization, with all records?`,
    unknown_run: (p: {
      log: string
      run: string
      isAmbiguous: boolean
    }) => `{log}: ${p.isAmbiguous ? 'several runs have an id' : 'no run has an id'} that begins with "{run}"
      → rowlift log {log} lists the runs`,
  },
} as const satisfies Record<string, Words>
