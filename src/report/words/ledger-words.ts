import type { LedgerUsage } from '../../model/errors.ts'
import type { Catalogue } from './sentence.ts'

/** Sentences about a command that cannot begin with its ledger. */
export const ledgerWords: Catalogue<LedgerUsage> = {
  ledger_needs_import: (_, { option }) => [
    `${option('ledger')} needs ${option('import')} NAME, by which all machines find the same rows`,
    'name the import',
  ],
  import_needs_ledger: ({ option }, face) =>
    `${face.option(option)} needs ${face.option('ledger')}, the database that the machines share`,
  ledger_and_results: ({ option }, face) => [
    `${face.option(option)} is for a result log, and with ${face.option('ledger')} there is none`,
    'leave one of both out; rowlift export writes the log of a ledger',
  ],
  ledger_needs_key: ({ mapping }, { option }) => [
    `${mapping}: has no key, by which machines could tell rows apart (${option('ledger')})`,
    'name a column that is different in each row under key:',
  ],
  ledger_needs_files: ({ source }, { option }) => [
    `${source}: is not a regular file, and with ${option('ledger')} each machine reads the same rows at its own time`,
    'save it as a file, and give each machine a copy',
  ],
  ledger_with_indent: ({ mapping }, { option }) => [
    `${mapping}: has a lookup with indent, which needs all rows in their order, and with ${option('ledger')} each machine has some of them`,
    `import it on one machine, with ${option('results')}`,
  ],
  ledger_without_import: ({ ledger, import: name }) => [
    `${ledger}: has no import ${name}`,
    'its first worker registers it; a step of a plan is NAME/STEP',
  ],
  ledger_refused: ({ ledger, reason }) => [
    `${ledger}: the database refuses (${reason})`,
    'check its address, user, password and rights',
  ],
  ledger_too_old: ({ ledger, version }) => [
    `${ledger}: this PostgreSQL (${version}) is too old for a ledger`,
    'use PostgreSQL 13 or newer',
  ],
  ledger_newer: ({ ledger, version }) => [
    `${ledger}: a newer rowlift made its tables (version ${version})`,
    'use that one',
  ],
  ledger_unsafe: ({ ledger, setting, value }) => [
    `${ledger}: ${setting} is ${value}, so this database may forget what was sent, or cannot keep it`,
    `set it as PostgreSQL's default has it (server_encoding: UTF8)`,
  ],
  ledger_differs: ({ ledger, import: name, what, before, now }) => [
    `${ledger}: the import ${name} is another one: its ${what} is ${before}, and here it is ${now}`,
    'give this import another name, or finish the run that is there first',
  ],
}
