import { UsageError } from './errors.ts'

const say = (message: string) => new UsageError(message)
const reasonOf = (error: NodeJS.ErrnoException) => error.code ?? error.message

/** What to do with a file of which no rows can be read. */
const notRows = {
  empty: 'is empty; a CSV file needs a header line',
  zip: 'is an Excel file or another packed one; open it and save the sheet as CSV (UTF-8), or unpack it',
  office: 'is an older Excel file or another office document; open it and save the sheet as CSV (UTF-8)',
  pdf: 'is a PDF; export the data as CSV instead',
  gzip: 'is packed with gzip; give it a name that ends in .gz, then it is unpacked on the fly',
  image: 'is an image; rows are read from CSV or NDJSON',
  web_page: 'is a web page or XML; export the data as CSV instead (a log-in page looks like this, too)',
  vcard: 'is a vCard file; export the contacts as CSV instead',
  calendar: 'is a calendar file; export the tasks as CSV instead',
  binary: 'holds no text; export the data as CSV or NDJSON',
  json_list: "is one JSON list; make a line of each object first: jq -c '.[]' FILE > FILE.ndjson",
  json_spread:
    "is JSON, but not one object a line; make a line of each object first, for example: jq -c '.items[]' FILE > FILE.ndjson",
} as const

/** Every word about a command that cannot be begun as it was given. */
export const usageErrors = {
  unreadable: (
    what: 'mapping file' | 'settings file' | 'token file' | 'result log' | 'plan',
    path: string,
    error: NodeJS.ErrnoException,
  ) => say(`${path}: the ${what} cannot be read (${reasonOf(error)})`),
  wrongValues: (faults: readonly (readonly [given: string, message: string])[]) =>
    say(faults.map(([given, message]) => `${given}: ${message}`).join('\n')),
  wrongWords: (message: string) =>
    say(`${message}\nrowlift --help lists the commands, rowlift COMMAND --help their options`),

  required: (option: string) => say(`--${option} is required; "rowlift import --help" lists every option`),
  noSource: () => say('no source: name the files to import, or - for standard input'),
  stdinTwice: () => say('standard input (-) can be read only once'),
  previewWithoutDryRun: () => say('--preview belongs to --dry-run'),
  useCreatedForOthers: (mapping: string, record: string) =>
    say(`--use-created is known to contacts only; ${mapping} has record: ${record}`),
  unknownEncoding: (mapping: string, encoding: string) =>
    say(`${mapping}: source.encoding: "${encoding}" is not an encoding that is known here`),
  noResults: () =>
    say(
      '--results is required where nobody looks at a terminal: a log that is named by chance would make the next run create every row again',
    ),
  stdoutTwice: (role: string, other: string) =>
    say(`standard output (-) takes the ${role} or the ${other}, not both; give one of them a file`),
  metricsOfDryRun: () =>
    say('--metrics is for runs that send: a dry run would look like one of them; leave it out'),
  cannotWriteAtEnd: (path: string, role: string, error: NodeJS.ErrnoException) =>
    say(
      `${path}: the ${role} could not be written at the end (${reasonOf(error)}); make the folder, or give the right to write there`,
    ),
  sameFile: (path: string | undefined, role: string, written: string) =>
    say(`${path}: is the ${role}; give the ${written} another name`),

  saidInPlan: (given: readonly string[]) =>
    say(`${given.join(', ')}: stands in the plan, in each step; take it away here`),
  notAFile: (path: string, step: string) =>
    say(
      `${path}: is no regular file, and can be read only once; the step ${step} needs one, for a plan looks at all its sources before the first step begins`,
    ),
  rejectsToStdout: () => say('--rejects: give a file; what is mended there is imported from it'),
  rejectsPacked: (path: string) =>
    say(`${path}: rejected rows are there to be mended; give --rejects a name that does not end in .gz`),
  rejectsNoFile: (path: string) =>
    say(`${path}: is no file that can be written anew; give --rejects another name`),
  cannotWriteRejects: (path: string, error: NodeJS.ErrnoException) =>
    say(
      `${path}: the rejected rows cannot be written there (${reasonOf(error)}); give the right to write in its folder, or --rejects another name`,
    ),
  rejectsOfBoth: () =>
    say(
      '--rejects: rows of CSV and of NDJSON have no form in common; import them by two commands, each with its own --rejects',
    ),
  rejectsName: (path: string, format: 'csv' | 'ndjson') =>
    say(
      `${path}: the rejected rows are ${format.toUpperCase()}, and a file of this name is not read as that; give --rejects a name that ends in .${format}`,
    ),
  rejectsInTree: (mapping: string) =>
    say(
      `${mapping}: has a lookup with indent, which goes by the rows that stand above, and among rejected rows those are missing; mend such rows in the source itself, without --rejects`,
    ),

  noToken: () => say('no token: put the bearer token in ROWLIFT_TOKEN, or in a file named by --token-file'),
  emptyToken: (from: string) => say(`${from}: holds no token; give the bearer token alone`),
  oddToken: (from: string) => say(`${from}: holds signs that no token has; give the bearer token alone`),
  noPreset: (name: string, suggestion: string, known: readonly string[]) =>
    say(`preset:${name}: there is no such preset${suggestion || '.'} The presets are ${known.join(', ')}`),
  notAnAddress: (text: string) =>
    say(`--base-url: "${text}" is not a web address; give one such as https://api.example.com`),
  addressWithMore: () => say('--base-url: must be an address without user, query or fragment'),
  addressInTheClear: (origin: string) =>
    say(
      `--base-url: ${origin} would carry the token in the clear; use https://, or say --allow-http if you must`,
    ),

  badProxy: () =>
    say(
      'the proxy that HTTPS_PROXY, HTTP_PROXY or ALL_PROXY names is not an address such as http://proxy.example.com:3128; give one, or put the service into NO_PROXY',
    ),

  logIsFolder: (path: string) => say(`${path}: is a folder; give the result log a name of its own`),
  logGone: (path: string, inFlight: string) =>
    say(
      `${path}: is gone, and ${inFlight} tells that a run wrote it and was ended; put the log back, for without it every row would be created again (to begin anew all the same, remove ${inFlight} too)`,
    ),
  notALog: (path: string) =>
    say(
      `${path}: is not a result log, or its beginning is gone; name another file, or put the whole log back`,
    ),
  notALogLine: (path: string, line: number) =>
    say(
      `${path}:${line}: is not a line of a result log; mend the line or take it out by hand, then run the same command again`,
    ),
  notInFlight: (path: string) =>
    say(
      `${path}: is damaged, and it names the rows that were under way when a run ended; look in the service for the last rows of the source that are not in the result log, then remove this file`,
    ),
  otherImport: (log: string, what: string, then: string, now: string) =>
    say(
      `${log}: belongs to an import with another ${what} (${then}, now ${now}); give this import a result log of its own with --results`,
    ),
  noLookupLog: (path: string, lookup: string) =>
    say(
      `${path}: there is no such result log (lookups.${lookup} of the mapping); run the import that writes it first`,
    ),
  lookupOfAnother: (path: string, lookup: string, what: string, then: string, now: string) =>
    say(
      `${path}: belongs to another ${what} (${then}, now ${now}), and the ids in it mean nothing here; name the log of this import's own service (lookups.${lookup} of the mapping)`,
    ),
  lookupUnreadable: (lookup: string, reason: string) => say(`${reason} (lookups.${lookup} of the mapping)`),
  badLookupRow: (path: string, line: number, message: string) =>
    say(`${path}:${line}: ${message} (this file is a lookup of the mapping)`),
  notALock: (path: string) =>
    say(
      `${path}: stands where the lock of the result log belongs, and is none; if no run is writing the log, remove it, then run the same command again`,
    ),
  noLog: (path: string) => say(`${path}: there is no such result log; name the one that the import wrote`),
  noLogs: () => say('name the result logs to show: rowlift report RESULTS...'),
  pageIsNoFile: (path: string) =>
    say(`${path}: is a folder or a device; give the page the name of a file, such as import.html`),
  notAPage: (path: string) =>
    say(
      `${path}: is there already, is no page of rowlift report, and is not written over; give the page another name`,
    ),
  cannotWritePage: (path: string, error: NodeJS.ErrnoException) =>
    say(
      `${path}: the page cannot be written there (${reasonOf(error)}); name a folder that is there and may be written to`,
    ),
  pageToStdout: () =>
    say('--report needs a file; rowlift report RESULTS -o - writes the page to standard output'),
  pageWithoutLog: () =>
    say('--report shows what the result log tells, and --results - leaves none; name a file as --results'),
  oneLog: () => say('name one result log: rowlift resolve RESULTS'),
  resolveHow: () =>
    say(
      'say which rows and what became of them: --key KEY --record-id ID, --key KEY --not-created, or --all --not-created; without any of them the rows in doubt are listed',
    ),
  notInDoubt: (log: string, key: string, is: 'settled' | 'refused' | undefined) =>
    say(
      `${log}: the row with the key "${key}" is not in doubt${
        is === 'settled'
          ? '; its record is known'
          : is === 'refused'
            ? '; it was not created, and the next import tries it again'
            : ': the log has no such row; rowlift resolve without options lists the rows in doubt'
      }`,
    ),
  recordOfAnother: (log: string, line: number, recordId: string) =>
    say(`${log}:${line}: is the row that has the record ${recordId}; look again which record is this row's`),
  oneSource: () => say('name one source: rowlift init FILE, or - for standard input'),
  outputExists: (path: string) =>
    say(`${path}: is there already and is not written over; give the mapping another name with -o`),
  cannotWriteDraft: (path: string, error: NodeJS.ErrnoException) =>
    say(`${path}: the mapping cannot be written (${reasonOf(error)})`),
  noRows: (path: string, why: keyof typeof notRows) => say(`${path}: ${notRows[why]}`),
  noMappings: () => say('name the mapping files to test: rowlift test MAPPING...'),
  noTests: (mappings: readonly string[]) =>
    say(
      `${mappings.join(', ')}: nothing to test; write rows and what is expected of them under tests: in the mapping`,
    ),
  requiredInCode: (option: string) => say(`${option} is required`),
  unknownInCode: (option: string, suggestion: string) =>
    say(`${option}: there is no such option${suggestion}`),
  sourceOrRows: () => say('say what to import: either source or rows'),
  notIterable: () => say('rows: must be a list of objects, or anything else that can be looped over'),
  rowsHaveNoFormat: () => say('format, delimiter and encoding belong to source; rows are objects'),
  standardStream: (option: string) =>
    say(
      `${option}: "-" stands for a stream of the process, which belongs to your program; give a path${option === 'source' ? ', or the rows themselves as rows' : ''}`,
    ),
  unwritableMapping: (reason: string) => say(`mapping: is no mapping, for JSON cannot hold it (${reason})`),
  oneLoop: () =>
    say(
      'the outcomes of an import can be looped over once, and only by the loop that begins it; ask for the summary after the loop',
    ),
  unknownShell: (name: string, known: readonly string[]) =>
    say(`there is no completion for ${name}; name the shell: rowlift completion ${known.join(' or ')}`),
  noSandbox: (reason: string) => say(`the sandbox could not start: ${reason}`),
}
