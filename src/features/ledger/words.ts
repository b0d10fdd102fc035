import { spanOf } from '../../output/text.ts'
import type { Words } from '../../output/words/sentence.ts'

type Differing = Readonly<Record<'ledger' | 'import' | 'what' | 'before' | 'now', string>>

export const ledgerWords = {
  usage: {
    ledger_needs_import: `{--ledger} needs {--import} NAME, by which all machines find the same rows
      → name the import`,
    import_needs_ledger: '{-option} needs {--ledger}, the database that the machines share',
    ledger_and_results: `{-option} is for a result log, and with {--ledger} there is none
      → leave one of both out; rowlift export writes the log of a ledger`,
    ledger_sees_part: `{-option} needs all rows, and with {--ledger} each worker has some of them
      → leave it out; a dry run tells near duplicates, and writes worksheets`,
    ledger_needs_key: `{mapping}: has no key, by which machines could tell rows apart ({--ledger})
      → name a column that is different in each row under key:`,
    ledger_needs_files: `{source}: is not a regular file, and with {--ledger} each machine reads the same rows at its own time
      → save it as a file, and give each machine a copy`,
    ledger_with_indent: `{mapping}: has a lookup with indent, which needs all rows in their order, and with {--ledger} each machine has some of them
      → import it on one machine, with {--results}`,
    ledger_without_import: `{ledger}: has no import {import}
      → its first worker registers it; a step of a plan is NAME/STEP`,
    ledger_refused: `{ledger}: the database refuses ({reason})
      → check its address, user, password and rights`,
    ledger_too_old: `{ledger}: this PostgreSQL ({version}) is too old for a ledger
      → use PostgreSQL 13 or newer`,
    ledger_of_another: `{ledger}: the schema rowlift has tables that rowlift did not make ({...tables})
      → give the ledger a database of its own`,
    ledger_newer: '{ledger}: a newer rowlift made its tables (version {#version}) → use that one',
    ledger_unsafe: `{ledger}: {setting} is {value}, so this database may forget what was sent, or cannot keep it
      → set it as PostgreSQL's default has it (server_encoding: UTF8)`,
    ledger_differs: (p: Differing) =>
      `{ledger}: the import {import} was begun with another {what} ({before}, now {now})
      → ${p.what === 'key' ? 'if a column has another name now, add {--renamed} OLD=NEW; if not, ' : ''}finish the run that is there first; an import with another name would create its rows again`,
    ledger_approval: `{ledger}: the run of the import {import} that is under way was begun {how}
      → give all its workers the same {--approval}; to begin another run, stop them, then {--new-run}`,
    other_import: `{import}: {#found} of the first {#looked|row} have their record by the import {other} ({day})
      → go on with it by {--import} {again}, or begin another by {--new-log}: then these rows are created again`,
    other_import_begun: `{import}: the import {other} began with the same rows, and has not ended
      → take part in it by {--import} {again}, or begin another by {--new-log}: then these rows are created again`,
  },
  log: {
    ledger_away: `{ledger}: the database does not answer ({reason})
      → start it, then {$again} in this folder, where a *.spool file may have outcomes that the ledger lacks`,
  },
  lock: {
    ledger_busy: `{ledger}: the worker {worker} still works on the last run of the import {import}
      → stop all its workers, then {$again}`,
    ledger_run_over: `{ledger}: the run of the import {import} is no longer there: another worker began a new one, or the import was dropped
      → {$again} to take part in the new one`,
  },
  news: {
    ledger_back: ({ ledger, forMs }: Readonly<{ ledger: string; forMs: number }>) =>
      `${ledger}: the database is back after ${spanOf(forMs)}; the run goes on`,
  },
  warnings: {
    ledger_away: ({ ledger, reason }: Readonly<{ ledger: string; reason: string }>) =>
      `${ledger}: the database does not answer (${reason}); no call starts until it does`,
  },
} as const satisfies Record<string, Words>
