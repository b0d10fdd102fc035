import { readdirSync, readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { isDeepStrictEqual } from 'node:util'
import iconv from 'iconv-lite'
import { parse } from 'yaml'
import { draftOf } from '../../src/features/draft/draft.ts'
import { factsOf } from '../../src/features/draft/drafts.ts'
import { runTests } from '../../src/features/mapping-tests/run-tests.ts'
import { compileMapping, type Mapping } from '../../src/mapping/mapping.ts'
import type { Body, Row } from '../../src/model/row.ts'
import { nilUuid } from '../../src/model/values.ts'
import { isLong } from './random.ts'
import { check, fileWith, rowsOf } from './read-input.ts'

/** An export, and what a careful person would have of it. */
export interface Case {
  readonly name: string
  readonly product: string
  readonly language: string
  readonly file?: string
  readonly encoding?: string
  /** The draft does not reach it yet. */
  readonly open?: boolean
  readonly text: string
  readonly draft: {
    /** Words of the error that there must be instead of a draft. */
    readonly stops?: string
    readonly record: string
    /** Null: there must be none. Left out: any will do. */
    readonly key?: string | readonly string[] | null
    /** Bodies of the rows that are sent, in their order; a list in place of a text holds all texts that will do. */
    readonly bodies: readonly Body[]
    /** The number of rows that are sent, if `bodies` are the first only. */
    readonly sent?: number
    readonly invalid?: readonly number[]
    /** Words of the questions that there must be. */
    readonly asks?: readonly string[]
    /** Words of questions that are no fault. */
    readonly may_ask?: readonly string[]
    readonly unmapped?: readonly string[]
  }
  /** The next export, and what the same draft makes of it. */
  readonly later?: { readonly text: string; readonly bodies: readonly Body[] }
}

/** `asks too much` is no fault of the draft's values. */
type Verdict = 'right' | 'asks too much' | 'needs an edit' | 'wrong'
const verdicts: readonly Verdict[] = ['right', 'asks too much', 'needs an edit', 'wrong']

interface Difference {
  readonly verdict: Verdict
  readonly text: string
}

/** The end of one row. */
interface Outcome {
  readonly line: number
  readonly body?: Body
  readonly refusedFor?: string
  readonly isDuplicate?: boolean
}

interface Question {
  readonly text: string
  /** Its answers set this field, or one inside of it. */
  isAbout(field: string, value: unknown): boolean
}

interface Drafted {
  readonly text: string
  readonly mapping: { readonly record: string; readonly key?: unknown }
  readonly outcomes: readonly Outcome[]
  readonly later: readonly Outcome[]
  readonly questions: readonly Question[]
  readonly unmapped: ReadonlyMap<string, string>
  readonly failedTests: number
}

const isWhole = isLong || Boolean(process.env.CORPUS_TABLE || process.env.CORPUS_OPEN)
const folder = new URL('../corpus/', import.meta.url)
const noOptions = {} as Parameters<typeof factsOf>[1]
const questionMark = /^\s*# \? /

/** Questions that only the person can answer, whatever the file. */
const usual = [
  'table of users',
  'to be made, too?',
  'Until you choose, it is left out.',
  'the cost of a task',
  'of a contact? If not',
]

/** All of them in `npm run test:long` and for a table, else each third. */
export const casesOf = (kind: string): Case[] =>
  readdirSync(new URL(`${kind}/`, folder))
    .filter(file => file.endsWith('.yaml'))
    .sort()
    .filter((_, at) => isWhole || at % 3 === 0)
    .map(file => ({
      name: file.replace('.yaml', ''),
      ...parse(readFileSync(new URL(`${kind}/${file}`, folder), 'utf8')),
    }))

/** Differences of a draft and of its rows from what was expected; empty if it is right. */
export async function differencesOf(example: Case): Promise<Difference[]> {
  const drafted = await draftedFrom(example).catch((error: Error) => error)
  const { stops } = example.draft
  if (drafted instanceof Error)
    return stops !== undefined && drafted.message.includes(stops)
      ? []
      : [{ verdict: 'wrong', text: `it stops: ${drafted.message}` }]
  if (stops !== undefined) return [{ verdict: 'wrong', text: `it does not stop: ${stops}` }]
  return [
    ...recordDifferences(example, drafted),
    ...rowDifferences(example, drafted),
    ...fieldDifferences(example, drafted),
    ...commentDifferences(example, drafted),
    ...laterDifferences(example, drafted),
    ...promiseDifferences(drafted),
  ]
}

/** The worst of what is found. */
const verdictOf = (found: readonly Difference[]): Verdict =>
  verdicts.findLast(verdict => found.some(each => each.verdict === verdict)) ?? 'right'

/** How many cases are of each verdict, and what keeps the others from being right. */
export function tableOf(results: readonly (readonly [Case, readonly Difference[]])[]): string {
  const count = (verdict: Verdict) => results.filter(([, found]) => verdictOf(found) === verdict).length
  const heads = verdicts.map(verdict => `${verdict} ${count(verdict)}`).join(', ')
  const lines = results.flatMap(([{ name, open }, found]) => [
    ...(found.length > 0 || open ? [`  ${name}${open ? ' (open)' : ''}: ${verdictOf(found)}`] : []),
    ...found.map(({ verdict, text }) => `    ${verdict}: ${text}`),
  ])
  return [`${results.length} cases: ${heads}`, ...lines, ''].join('\n')
}

async function draftedFrom({ text: content, file = 'export.csv', encoding, later }: Case): Promise<Drafted> {
  const path = await exportOf(file, content, encoding)
  const { text } = draftOf(await factsOf(path, noOptions, Readable.from([])))
  const mapping = compileMapping('draft.yaml', text, '')
  const tests = runTests(mapping)
  return {
    text,
    mapping: headOf(text),
    outcomes: await outcomesOf(mapping, path),
    later: later === undefined ? [] : await outcomesOf(mapping, await exportOf(file, later.text, encoding)),
    questions: questionsOf(text),
    unmapped: unmappedOf(text),
    failedTests: tests.filter(({ differences }) => differences.length > 0).length,
  }
}

/** Its record and key; to parse all of it once more would take long. */
const headOf = (text: string) => parse((text.match(/^(record|key):.*(\n +.*)*/gm) ?? []).join('\n'))

export const exportOf = (file: string, text: string, encoding = 'utf-8') =>
  fileWith(file, iconv.encode(text, encoding, { addBOM: /16|32/.test(encoding) }))

async function outcomesOf(mapping: Mapping, path: string): Promise<Outcome[]> {
  for (const [name, spec] of Object.entries(mapping.lookupSpecs))
    mapping.lookups.provide(name, () => ({ type: 'found', value: 'indent' in spec ? undefined : nilUuid }))
  const sources = await check([path], mapping.source)
  mapping.settleColumns(sources.map(({ columns }) => columns))
  for (const { columns } of sources) if (columns !== undefined) mapping.checkColumns(columns, path)
  return rowOutcomes(mapping, await rowsOf(sources))
}

/** The ends that an import would give the rows, without those that `where` leaves out. */
function rowOutcomes(mapping: Mapping, rows: readonly Row[]): Outcome[] {
  const keys = new Set<string>()
  const identify = mapping.identifier()
  return rows.flatMap((row): Outcome[] => {
    const { line } = row
    const { key } = identify(row)
    if (row.fault !== undefined) return [{ line, refusedFor: row.fault.code }]
    if (!mapping.selects(row)) return []
    const mapped = mapping.map(row)
    if ('waitsOn' in mapped) throw new Error(`line ${line} waits for another row`)
    if ('errors' in mapped) return [{ line, refusedFor: mapped.errors.map(problemText).join(', ') }]
    if (keys.has(key)) return [{ line, isDuplicate: true }]
    keys.add(key)
    return [{ line, body: JSON.parse(JSON.stringify(mapped.body)) }]
  })
}

const problemText = ({ path, code }: { path?: string; code: string }) => `${path} ${code}`

/** Each with the comments below it, up to the next. */
function questionsOf(text: string): Question[] {
  const lines = text.split('\n')
  return lines.flatMap((line, at) => {
    if (!questionMark.test(line)) return []
    const rest = lines.slice(at + 1)
    const end = rest.findIndex(each => !/^\s*#/.test(each) || questionMark.test(each))
    const block = [line, ...rest.slice(0, end)].map(each => each.replace(/^\s*# (\? )?/, '')).join(' ')
    const isAbout = (field: string, value: unknown) =>
      [field, ...keysIn(value)].some(key => new RegExp(`\\b${key}:`).test(`${block} ${rest[end] ?? ''}`))
    return [{ text: block, isAbout }]
  })
}

/** The last list of a draft: columns with their examples. */
function unmappedOf(text: string): Map<string, string> {
  const [, rest = ''] = text.split('# Columns of this file that are not mapped, each with an example:\n')
  const [list = ''] = rest.split(/^(?!# {3})/m)
  const items = list.matchAll(/^# {3}("(?:[^"\\]|\\.)*"|[^:\n]+): (.*)$/gm)
  return new Map(
    [...items].map(([, name = '', example = '']) => [
      name.startsWith('"') ? JSON.parse(name) : name,
      example,
    ]),
  )
}

function recordDifferences({ draft: { record, key } }: Case, { mapping, questions }: Drafted): Difference[] {
  const found: Difference[] = []
  if (mapping.record !== record)
    found.push({
      verdict: questions.some(each => each.isAbout('record', undefined)) ? 'needs an edit' : 'wrong',
      text: `record: ${mapping.record}, not ${record}`,
    })
  const drafted = mapping.key ?? null
  // A preset has several names for the column of its key: [[Record ID, Contact ID]].
  const names = Array.isArray(drafted) && drafted.length === 1 ? [drafted[0]].flat() : [drafted]
  if (key !== undefined && !isDeepStrictEqual(drafted, key) && !names.includes(key))
    found.push({
      // An e-mail address is a contact's own, so no row is lost with it.
      verdict:
        drafted === null || (key !== null && /mail/i.test(String(drafted))) ? 'needs an edit' : 'wrong',
      text: `key: ${JSON.stringify(drafted)}, not ${JSON.stringify(key)}`,
    })
  return found
}

/** Rows that are lost, refused or sent against what was expected. */
function rowDifferences({ draft }: Case, { outcomes }: Drafted): Difference[] {
  const { bodies, sent: wanted = bodies.length, invalid = [] } = draft
  const found = outcomes.flatMap(({ line, body, refusedFor, isDuplicate }): Difference[] => {
    if (isDuplicate) return [{ verdict: 'wrong', text: `line ${line} is taken for a duplicate` }]
    if (refusedFor !== undefined && !invalid.includes(line))
      return [{ verdict: 'needs an edit', text: `line ${line} is refused: ${refusedFor}` }]
    if (body !== undefined && invalid.includes(line))
      return [{ verdict: 'wrong', text: `line ${line} is sent, and should be refused` }]
    return []
  })
  const sent = outcomes.filter(({ body }) => body !== undefined).length
  if (sent === wanted || found.length > 0) return found
  return [{ verdict: 'wrong', text: `${sent} rows are sent, not ${wanted}` }]
}

/** Field by field over the rows that are sent as they should be. */
function fieldDifferences({ draft }: Case, drafted: Drafted): Difference[] {
  const { bodies, sent: wanted = bodies.length, invalid = [] } = draft
  const rows = drafted.outcomes.filter(({ line }) => !invalid.includes(line))
  if (rows.length !== wanted) return []
  const both = bodies.flatMap((body, at) => {
    const received = rows[at]?.body
    return received === undefined ? [] : [[body, received] as const]
  })
  const fields = new Set(both.flat().flatMap(body => Object.keys(body)))
  return [...fields].flatMap(field => {
    const pairs = both.map(([body, received]) => [body[field], received[field]] as const)
    const differing = pairs.filter(([expected, got]) => !isWanted(expected, got))
    const [first] = differing
    if (first === undefined) return []
    const [expected, got] = first.map(value => JSON.stringify(value) ?? 'nothing')
    return [{ verdict: fieldVerdict(field, differing, drafted), text: `${field}: ${got}, not ${expected}` }]
  })
}

/** A value that is only missing can be put in by who reads the draft, if the draft speaks of it. */
function fieldVerdict(
  field: string,
  differing: readonly (readonly [unknown, unknown])[],
  { questions, unmapped }: Drafted,
): Verdict {
  if (differing.some(([expected]) => questions.some(each => each.isAbout(field, expected))))
    return 'needs an edit'
  const isMissing = differing.every(([expected, got]) =>
    leavesIn(got).every(leaf => leavesIn(expected).includes(leaf)),
  )
  const examples = [...unmapped.values()].map(plain)
  const isListed = differing.some(([expected, got]) =>
    leavesIn(expected).some(
      leaf => !leavesIn(got).includes(leaf) && examples.some(example => example.includes(plain(leaf))),
    ),
  )
  return field !== 'name' && isMissing && isListed ? 'needs an edit' : 'wrong'
}

function commentDifferences({ draft }: Case, { questions, unmapped }: Drafted): Difference[] {
  const { asks = [], may_ask = [], unmapped: listed } = draft
  const isAsked = (text: string) => questions.some(question => question.text.includes(text))
  const found: Difference[] = asks
    .filter(text => !isAsked(text))
    .map(text => ({ verdict: 'needs an edit', text: `it does not ask about ${JSON.stringify(text)}` }))
  // Which user of the service a name is, no file says.
  for (const { text } of questions)
    if (![...asks, ...may_ask, ...usual].some(each => text.includes(each)))
      found.push({ verdict: 'asks too much', text: `it asks ${JSON.stringify(text)}` })
  if (listed !== undefined && !isDeepStrictEqual([...unmapped.keys()], listed))
    found.push({
      verdict: 'needs an edit',
      text: `not mapped: ${JSON.stringify([...unmapped.keys()])}, not ${JSON.stringify(listed)}`,
    })
  return found
}

function laterDifferences({ later }: Case, drafted: Drafted): Difference[] {
  const bodies = drafted.later.flatMap(({ body }) => (body === undefined ? [] : [body]))
  return later === undefined || isDeepStrictEqual(bodies, later.bodies)
    ? []
    : [{ verdict: 'wrong', text: `the next export: ${JSON.stringify(bodies)}` }]
}

/** What every draft has. */
function promiseDifferences({ text, failedTests }: Drafted): Difference[] {
  const found: Difference[] = []
  if (!text.startsWith('# yaml-language-server: $schema='))
    found.push({ verdict: 'needs an edit', text: 'its first line names no schema' })
  if (failedTests > 0) found.push({ verdict: 'needs an edit', text: `${failedTests} of its own tests fail` })
  return found
}

/** A list in place of a text holds all texts that will do. */
const isWanted = (expected: unknown, got: unknown) =>
  isDeepStrictEqual(expected, got) ||
  (Array.isArray(expected) && typeof got === 'string' && expected.includes(got))

const plain = (text: string) => text.toLowerCase().replaceAll(/[^\p{L}\p{N}@]/gu, '')

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** All texts inside a JSON value. */
const leavesIn = (value: unknown): string[] =>
  isObject(value) ? Object.values(value).flatMap(leavesIn) : value === undefined ? [] : [String(value)]

/** All names inside a JSON value. */
function keysIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(keysIn)
  return isObject(value) ? Object.entries(value).flatMap(([key, inner]) => [key, ...keysIn(inner)]) : []
}
