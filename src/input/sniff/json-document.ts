import { isObject, isTooDeep, type JsonObject } from '../../model/values.ts'

export const partsOfRow =
  /label|(^|_)tags?$|assign|member|participant|attend|comment|attach|mail|phone|address|url|link|name|photo|custom|reaction|watch|follow|relation|remind|review|history|metadata/i
export const listsOfRows =
  /^(items|data|results?|values?|records|rows|entries|elements|objects|cards|tasks|todos|issues|tickets|contacts|people|persons|users|leads|companies|customers|accounts)$/i
/** Columns of boards, in which the rows stand. */
const containers = /^(stacks|lists|columns|sections|swimlanes)$/i
const many = 5

/** A list with its length and its first items. */
type Candidate = Readonly<{ path: string; items: readonly JsonObject[]; count: number }>

/** The path of a list in objects that has so many reasons to be one of rows. */
export const listIn = (parents: readonly JsonObject[], leastEvidence: number): string | undefined =>
  chosen(listsUnder(parents, '').filter(({ evidence }) => evidence >= leastEvidence))

/** The path of the list that a document is about: the longest of those with names. */
function chosen(lists: readonly Candidate[]): string | undefined {
  const longest = lists.toSorted((a, b) => b.count - a.count)
  const best = longest.find(({ items }) => items.some(hasName)) ?? longest[0]
  const inner = best && listIn(best.items, 3) // tasks stand in lists of tasks
  return inner && best?.path ? `${best.path}.${inner}` : (inner ?? best?.path)
}

/** Undefined if it is no object or list, or a deep one. */
export function parsed(text: string): JsonObject | undefined {
  try {
    const json = /^[{[]/.test(text) ? JSON.parse(text) : undefined
    return isTooDeep(json) ? undefined : json
  } catch {
    return undefined
  }
}

/** The lists in objects, each with the number of reasons to take it for one of rows, rather than for a part of a row. */
function listsUnder(
  parents: readonly JsonObject[],
  path: string,
): (Candidate & { readonly evidence: number })[] {
  const keys = [...new Set(parents.flatMap(Object.keys))].filter(key => !partsOfRow.test(key))
  const size = JSON.stringify(parents).length
  return keys.flatMap(key => {
    const at = path === '' ? key : `${path}.${key}`
    const values = parents.map(parent => parent[key]).filter(value => value !== null && value !== undefined)
    if (values.length > 0 && values.every(isObject)) return listsUnder(values, at)
    const items = values.flat()
    if (!values.every(Array.isArray) || !items.every(isObject) || !items.some(hasId)) return []
    const reasons = [
      JSON.stringify(items).length > size / 2,
      fieldsOf(items) >= fieldsOf(parents),
      listsOfRows.test(key) || containers.test(key),
      items.length >= many * parents.length,
    ]
    return [{ path: at, items, count: items.length, evidence: reasons.filter(Boolean).length }]
  })
}

const fieldsOf = (objects: readonly JsonObject[]): number =>
  objects.flatMap(Object.values).filter(value => !Array.isArray(value)).length / objects.length

const hasKey = (keys: RegExp) => (item: JsonObject) => Object.keys(item).some(key => keys.test(key))
const hasName = hasKey(/name|title|subject|summary|mail/i)
const hasId = hasKey(/name|title|subject|summary|mail|id$|key$/i)
