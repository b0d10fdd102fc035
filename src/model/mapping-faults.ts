const list = (words: readonly string[]) => words.join(', ')

/** Every word about what is wrong with a mapping, settings file or plan; the place in the file is told before it. */
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
  noPlan: () => 'a plan holds steps: and options that are common to all of them, such as concurrency: 20',
  noSteps: () =>
    'must hold at least one step by its name, such as people: { source: people.csv, mapping: people.yaml }',
  notAStep: () =>
    'a step holds source, mapping and options, such as { source: people.csv, mapping: people.yaml }',
  badStepName: (name: string) =>
    `"${name}" is no name for a step, after which a file is called: give it letters, without / or \\, dots or blanks at its beginning, and no longer than 100`,
  noPath: () => 'must be the path of a file',
  noSourceOfStep: () => 'must be the path of a file, or a list of them',
  noNeeds: () => 'must be the name of a step, or a list of them',
  noStreamInPlan: (part: string) =>
    part === 'source'
      ? 'standard input is no source of a plan, for every source is looked at before the first step begins; name a file'
      : 'standard output is no result log of a plan, for a rerun could not go on from there; name a file',
  stepNeedsItself: (name: string) => `the step "${name}" cannot need itself`,
  sameResults: (name: string, log: string) =>
    `the step "${name}" has this result log, too (${log}); each needs one of its own`,
  circleOfSteps: (steps: readonly string[]) => `the steps wait for each other: ${steps.join(' needs ')}`,

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
  stepOutsideOfPlan: (step: string) =>
    `"${step}" is a step of a plan, and this import has none: run it with --plan PLAN, or name the result log of that step instead, { results: LOG }`,
  unknownStep: (name: string, suggestion: string, known: readonly string[]) =>
    `the plan has no step "${name}"${suggestion || `; its steps are ${list(known)}`}`,
  ownStep: (name: string) =>
    `this is the step "${name}" itself; rows of the same import are found with { self: true, by: COLUMN }`,
  unknownZone: (zone: string) => `unknown time zone "${zone}"; give an IANA name such as Europe/Berlin`,
  unknownCountry: (country: string) =>
    `unknown country "${country}"; give its two capital letters, such as GB`,
  uselessFormat: (format: string, reason: string) => `nothing can be read as "${format}" (${reason})`,
  notALocale: (tag: string) => `"${tag}" is not a language tag such as de or pt-BR`,
}
