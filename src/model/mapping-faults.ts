const list = (words: readonly string[]) => words.join(', ')

/** Every word about what is wrong with a mapping or settings file; the place in the file is told before it. */
export const mappingFaults = {
  didYouMean: (word: string) => `; did you mean "${word}"?`,
  badAliases: (reason: string) =>
    `an alias cannot be resolved, or stands inside what it names (${reason.split('\n')[0]})`,
  unknownKey: (key: string, suggestion: string) => `unknown key "${key}"${suggestion}`,
  unknownSetting: (key: string, suggestion: string) => `unknown setting "${key}"${suggestion}`,
  noRules: () => 'must be a list of rules, such as [{ status: 400, body: "rate limit", means: throttled }]',
  notARule: () => 'must be a rule, such as { status: 400, body: "rate limit", means: throttled }',
  ruleOfNothing: () => 'needs status or body, to say which answers it speaks of',
  notAStatus: () => 'must be a whole number from 200 to 599, or a list of them',
  noStatus: () => 'must not be empty; leave it out if the rule speaks of every status',
  noPart: () => 'must be a part of the text of the answers, in quotes',
  noMeaning: (known: readonly string[], suggestion: string) => `must be one of ${list(known)}${suggestion}`,
  noSettings: () => 'a settings file holds keys and values, such as concurrency: 20',
  unknownField: (name: string, suggestion: string) =>
    `unknown field "${name}"${suggestion}; allow_unknown_fields: true sends it all the same`,
  unknownColumn: (name: string, suggestion: string, source: string) =>
    `unknown column "${name}"${suggestion} (the header of ${source} has no such column)`,
  strangeHeader: (header: readonly string[], source: string) =>
    `the header of ${source} has none of the columns that this mapping names; is it the file that the mapping is for? It has ${list(header.slice(0, 8))}${header.length > 8 ? ', …' : ''}`,
  calledDifferently: (name: string, called: readonly string[]) =>
    `the column "${name}" is not called the same in all sources (${list(called)}); rename it in them, or import them apart`,
  partOfKey: (names: readonly string[], source: string) =>
    `the header of ${source} lacks a part of the key: it has no column ${names.map(name => `"${name}"`).join(' or ')}`,
  keyOfOne: (names: string, one: string, other: string) =>
    `${one} and ${other} do not have the same column to name a row by (${names}); import them apart, each with a result log of its own`,
  useCreatedForOthers: (record: string) => `use_created is known to contacts only, not to record: ${record}`,
  notAnExpression: (reason: string) => `this is not a JSONata expression (${reason})`,

  openTemplate: () => 'a template opens {{ and does not close it; text with {{ in it is written as value: …',
  emptyTemplate: () => 'a template names no column between {{ and }}',
  twoMarks: (marks: readonly string[], first: string) =>
    `a rule has one of ${list(marks)}; ${first} stands here too`,
  lonely: (part: string, needs: string) => `${part} needs ${needs} beside it`,
  noUnit: (units: readonly string[]) => `as: duration needs unit: ${units.join(' or ')}`,
  unknownLookup: (name: string, suggestion: string) =>
    `unknown lookup "${name}"${suggestion}; it is to stand under lookups: at the top of the mapping`,
  unknownZone: (zone: string) => `unknown time zone "${zone}"; give an IANA name such as Europe/Berlin`,
  unknownCountry: (country: string) =>
    `unknown country "${country}"; give its two capital letters, such as GB`,
  uselessFormat: (format: string, reason: string) => `nothing can be read as "${format}" (${reason})`,
  notALocale: (tag: string) => `"${tag}" is not a language tag such as de or pt-BR`,
}
