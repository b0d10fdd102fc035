import { isProblem, type Problem, problem } from './problem.ts'

/** A value with its text trimmed and its lists flattened; undefined when nothing is left: empty is absent. */
export function present(value: unknown): unknown {
  if (typeof value === 'string') return value.trim() || undefined
  if (value === null || value === undefined) return undefined
  if (!Array.isArray(value)) return value
  const items: unknown[] = []
  for (const each of value) addTo(items, present(each))
  return items.length === 0 ? undefined : items
}

/** Adds a value to a list: one that is a list item by item, nothing where there is none. */
export function addTo(items: unknown[], value: unknown): void {
  if (Array.isArray(value)) items.push(...value)
  else if (value !== undefined) items.push(value)
}

/** A value as text: numbers and booleans as JSON writes them, lists joined by a comma; an object has no text. */
export function textOf(value: unknown): string | Problem {
  if (typeof value === 'string') return value
  if (typeof value !== 'object') return JSON.stringify(value) ?? ''
  if (!Array.isArray(value)) return problem('object')
  const texts = value.map(textOf)
  return texts.find(text => isProblem(text)) ?? texts.join(', ')
}

/** The value at a dotted path of own keys; a whole number steps into a list. */
export function atPath(value: unknown, path: string): unknown {
  let at = value
  for (const step of path.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined
    at = (at as Record<string, unknown>)[step]
  }
  return at
}

/** How deep lists and objects may be nested: what works on values calls itself once a level. */
export const mostLevels = 500

/** Whether a value is nested deeper than that. */
export function isTooDeep(value: unknown, levels = mostLevels): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some(inner => isTooDeep(inner, levels - 1))
}

/** The texts anywhere in a value that are no longer than so many characters; at most so many of them. */
export function textsIn(value: unknown, mostCharacters: number, most: number, into: string[] = []): string[] {
  if (typeof value === 'string' && value.length <= mostCharacters && into.length < most) into.push(value)
  if (typeof value !== 'object' || value === null) return into
  for (const inner of Object.values(value)) if (into.length < most) textsIn(inner, mostCharacters, most, into)
  return into
}
