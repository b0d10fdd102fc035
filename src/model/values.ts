import { isDeepStrictEqual } from 'node:util'
import { isProblem, type Problem, problem } from './problem.ts'

/** Trims text and flattens lists; undefined when nothing is left, because empty is absent. */
export function present(value: unknown): unknown {
  if (typeof value === 'string') return value.trim() || undefined
  if (value === null || value === undefined) return undefined
  if (!Array.isArray(value)) return value
  const items = value.flatMap(each => present(each) ?? [])
  return items.length === 0 ? undefined : items
}

/** Texts with the same result count as equal in lookups and `distinct`. */
export const folded = (text: string): string => text.trim().toLowerCase()

export type JsonObject = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Adds a value to a list: a list item by item, undefined not at all. */
export function addTo(items: unknown[], value: unknown): void {
  if (Array.isArray(value)) for (const each of value) items.push(each)
  else if (value !== undefined) items.push(value)
}

/** The text of a value: numbers and booleans as in JSON, lists joined by a comma; an object is a problem. */
export function textOf(value: unknown): string | Problem {
  if (typeof value === 'string') return value
  if (typeof value !== 'object') return JSON.stringify(value) ?? ''
  if (!Array.isArray(value)) return problem('not_text')
  const texts = value.map(textOf)
  return texts.find(text => isProblem(text)) ?? texts.join(', ')
}

/** The value at a path of own keys, dotted or in steps; a number is the index of an item. */
export function atPath(value: unknown, path: string | readonly string[]): unknown {
  let at = value
  for (const step of typeof path === 'string' ? path.split('.') : path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined
    at = (at as Record<string, unknown>)[step]
  }
  return at
}

/** Functions on values recurse once per level. */
export const mostLevels = 500

export function isTooDeep(value: unknown, levels = mostLevels): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some(inner => isTooDeep(inner, levels - 1))
}

const stringOrNumber = /"(?:[^"\\]+|\\.)*"|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi

/** Parses JSON and keeps some numbers as text, digit by digit. Throws a SyntaxError. */
export function parseKeeping(text: string, isKept: (number: string) => boolean): unknown {
  const json: unknown = JSON.parse(text)
  const quoted = text.replace(stringOrNumber, token =>
    token.startsWith('"') || !isKept(token) ? token : `"${token}"`,
  )
  return quoted === text ? json : JSON.parse(quoted)
}

const part = /"(?:[^"\\]+|\\.)*"|[{}[\],]/g

/** The members of a JSON object as written, with their names, in their order. */
export function membersOf(object: string): (readonly [name: string, text: string])[] {
  const members: (readonly [string, string])[] = []
  let depth = 0
  let from = 0
  let name: string | undefined
  for (const { 0: token, index } of object.matchAll(part)) {
    if (depth === 1 && (token === ',' || token === '}')) {
      if (name !== undefined) members.push([name, object.slice(from, index).trim()])
      name = undefined
    }
    if (depth === 1 && token.startsWith('"')) name ??= JSON.parse(token)
    if (token === '{' || token === '[') depth += 1
    if (token === '}' || token === ']') depth -= 1
    if (depth === 1 && name === undefined) from = index + 1
  }
  return members
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, sign => entities[sign] ?? sign)

/** The id in a dry run of records that a real run would create. */
export const nilUuid = '00000000-0000-0000-0000-000000000000'

/** The end of a closed switch: a forgotten case does not compile. */
export function unreachable(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`)
}

/** Undefined is an absent field. */
export interface FieldDifference {
  readonly path: string
  readonly expected: unknown
  readonly received: unknown
}

/** The places in which two JSON values differ, by paths such as `emails.0.email`. */
export function fieldDifferences(expected: unknown, received: unknown, path = ''): FieldDifference[] {
  if (isDeepStrictEqual(expected, received)) return []
  if (!isContainer(expected) || !isContainer(received) || Array.isArray(expected) !== Array.isArray(received))
    return [{ path, expected, received }]
  return [...new Set([...Object.keys(expected), ...Object.keys(received)])].flatMap(name =>
    fieldDifferences(expected[name], received[name], path === '' ? name : `${path}.${name}`),
  )
}

const isContainer = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null

export interface Leaf {
  readonly path: string
  readonly value: unknown
}

/** The values in a value that are no objects and no lists, with their paths. */
export function leavesOf(value: unknown, path = ''): Leaf[] {
  if (!isContainer(value)) return [{ path, value }]
  return Object.entries(value).flatMap(([name, each]) =>
    leavesOf(each, path === '' ? name : `${path}.${name}`),
  )
}
