/** Why a value or a row is refused: a value, never thrown. */
export class Problem {
  readonly message: string
  constructor(message: string) {
    this.message = message
  }
}

const say = (message: string) => new Problem(message)
const list = (words: readonly string[]) => words.slice(0, 12).join(', ') + (words.length > 12 ? ', …' : '')

const longestStart = 60
const startOf = (expression: string) => {
  const line = expression.trim().replaceAll(/\s+/g, ' ')
  return line.length > longestStart ? `${line.slice(0, longestStart)}…` : line
}

const inWords = (status: string) => (status === 'held' ? 'in doubt' : status.replace('_', ' '))

/** Every word that a person reads about a row; the value itself stands beside the message, never in it. */
export const problems = {
  ragged: (cells: number, columns: number) =>
    say(
      `has ${cells} cells under a header of ${columns}; mend the line, or set source.ragged: pad if short rows are meant`,
    ),
  surplus: (cells: number, columns: number) =>
    say(
      `has ${cells} cells under a header of ${columns}, and those past the header are not empty; mend the line`,
    ),
  stillRagged: () =>
    say('had more or fewer cells than its header; mend the cells, then empty rowlift_reason'),
  stillNotJson: () =>
    say('is a line that was no JSON object; write its fields beside rowlift_key, then take rowlift_text out'),
  notJson: (reason: string) => say(`is not JSON (${reason}); each line must be one JSON object`),
  notWritable: (field: string, what: string) =>
    say(`${field === '' ? 'the row' : field} is ${what}, which JSON cannot hold`),
  tooDeep: (levels: number) => say(`is nested more than ${levels} levels deep`),
  notAnObject: () => say('is JSON, but not an object; each line must be one JSON object'),

  keyTaken: () =>
    say(
      'names a row that has its record, and the columns of this row name another one; if it is another one, empty rowlift_key',
    ),
  keyLeft: () =>
    say(
      'has the key that a repaired row had, which has its record and another key now; if it is the same row, give it that key in the source, if it is another one, import it from a file of rejected rows (--rejects)',
    ),

  nothing: () => say('nothing that the mapping names holds anything in this row'),
  required: () => say('is required and empty'),
  object: () => say('is an object where text is needed; name a field of it (column.field), or use as: json'),
  notInMap: (keys: readonly string[]) =>
    say(`is not in the map (${list(keys)}); add it there, or set otherwise: keep or omit`),

  notInteger: () => say('is not a whole number'),
  notNumber: (decimal: string) => say(`is not a number with "${decimal}" as its decimal sign`),
  tooLarge: () => say('is too large to be kept exactly as a number; send it as text'),
  notBoolean: (yes: readonly string[], no: readonly string[]) =>
    say(`is neither yes (${list(yes)}) nor no (${list(no)})`),
  notDate: (formats: readonly string[]) => say(`is not a date in the form ${formats.join(' or ')}`),
  gapInZone: (zone: string, before: string, after: string) =>
    say(`does not exist in ${zone}, where the clock was put forward then; it could be ${before} or ${after}`),
  twiceInZone: (zone: string, first: string, second: string) =>
    say(`exists twice in ${zone}, where the clock was put back then; it could be ${first} or ${second}`),
  notDuration: () => say('is not a duration such as 90, 1h 30m, 30 minutes or PT1H'),
  dayLength: () => say('counts days or weeks, which are of no fixed length; set hours_per_day'),
  notEmail: () => say('is not an e-mail address'),
  notPhone: () => say('is not a phone number'),
  noCountry: () => say('is a phone number without its country; write it with + or set country'),
  notUrl: () => say('is not a web address'),
  notDomain: () => say('is not a domain'),
  notUuid: () => say('is not a UUID'),
  notJsonValue: () => say('is not JSON'),

  notFound: (table: string) =>
    say(`is not found in ${table}; add it there, or set missing: omit to leave the field out`),
  withoutRecord: (table: string) =>
    say(
      `has no record in ${table} yet: the row of that key was refused or is in doubt; settle it there first`,
    ),
  notLookedAt: (step: string) =>
    say(
      `is not found in the step ${step}, which stopped at --limit before it had looked at all its rows; the row is tried again in the next run`,
    ),
  noSuchRow: (column: string) =>
    say(`names no row: none has it in the column ${column}; set missing: omit to leave the field out`),
  ambiguous: (first: string, second: string) =>
    say(`names more than one: ${first} and ${second} differ; make it unique`),
  unusableRow: (row: string, status: string) =>
    say(`names ${row}, which is ${inWords(status)}; the row is tried again in the next run`),
  unusableLine: (line: string, status: string) =>
    say(
      `names a row that is ${inWords(status)} (${line}) and is not in these sources; ${
        status === 'in_doubt' ? 'settle it with rowlift resolve' : 'put it into the sources again'
      }`,
    ),
  leftOut: () => say('names the row above, which where leaves out'),
  unknownAbove: () => say('stands below a row of which nobody can tell how deep it stands; mend that one'),
  notADepth: (text: string) => say(`does not tell how deep the row stands: "${text}" is not a whole number`),
  rowGone: () => say('names a row that was there when the source was first read, and then did not come'),
  circle: (rows: readonly string[]) => say(`stands in a circle, each waits for the next: ${rows.join(', ')}`),

  notEvaluated: (expression: string, reason: string) =>
    say(`the expression ${startOf(expression)} fails: ${reason}`),
  endless: () => say('it does not come to an end within its limits'),
  tooMuch: () => say('it makes more than a row may hold'),
  notFinite: () => say('it gives a number without end, as a division by zero does'),
  aFunction: () => say('it gives a function, not a value'),
  noEval: () => say('$eval is not to be had in a mapping'),
  noLookup: (name: string) => say(`there is no lookup "${name}" in the mapping`),
  unknownCountry: (country: string) => say(`"${country}" is not a country such as GB`),
  unknownZone: (zone: string) => say(`"${zone}" is not a time zone such as Europe/Berlin`),
  uselessFormat: (format: string, reason: string) => say(`nothing can be read as "${format}" (${reason})`),

  unknownField: () => say('is not a field of the record; allow_unknown_fields: true sends it all the same'),
  wrongType: (expected: string, got: string, hint: string | undefined) =>
    say(`must be ${expected}, not ${got}${hint ? `; ${hint}` : ''}`),

  neverReached: (code: string) => say(`the service was not reached (${code})`),
  proxyRefused: (status: number) =>
    say(
      `the service was not reached: the proxy answered ${status}${status === 407 ? '; give it user and password in HTTPS_PROXY' : ''}`,
    ),
  noAnswer: (code: string) => say(`the call was sent and no answer came (${code})`),
  cutAnswer: (code: string) => say(`the answer broke off (${code})`),
  unreadable: () => say('the answer holds no record_id'),
  answered: (status: number) => say(`the service answered ${status}`),
  byRule: (message: string, means: string) =>
    say(`${message}, which means ${means} by a rule of the settings file`),
  abandoned: () => say('the run was ended while the call was under way'),
  notCreated: () => say('a person found no record of this row in the service'),
  stillInDoubt: (message: string) => say(`an earlier attempt got no answer, and then: ${message}`),
}
