import { isObject, type JsonObject } from '../../model/values.ts'

const partsOfRow =
  /label|(^|_)tags?$|assign|member|participant|attend|comment|attach|mail|phone|address|url|link|name|photo|custom|reaction|watch|follow|relation|remind|review|history|metadata/i
const listsOfRows =
  /^(items|data|results?|values?|records|rows|entries|elements|objects|cards|tasks|todos|issues|tickets|contacts|people|persons|users|leads|companies|customers|accounts)$/i
const many = 5

/** The list of objects that a JSON document is about, as jq writes it: the longest one of those with names. */
export function listIn(parents: readonly JsonObject[], leastEvidence: number): string | undefined {
  const lists = listsUnder(parents, '').filter(({ evidence }) => evidence >= leastEvidence)
  const [best] = lists.sort((a, b) => b.items.length - a.items.length)
  const named = lists.find(({ items }) => items.some(hasName)) ?? best
  return named && `${named.path}${listIn(named.items, 3) ?? ''}` // tasks stand in lists of tasks
}

/** With the number of reasons to take a list for one of rows, rather than for a part of a row. */
function listsUnder(
  parents: readonly JsonObject[],
  path: string,
): { path: string; items: readonly JsonObject[]; evidence: number }[] {
  const keys = [...new Set(parents.flatMap(Object.keys))].filter(key => !partsOfRow.test(key))
  const size = JSON.stringify(parents).length
  return keys.flatMap(key => {
    const at = `${path}.${/^[a-z_]\w*$/i.test(key) ? key : JSON.stringify(key)}`
    const values = parents.map(parent => parent[key]).filter(value => value !== null && value !== undefined)
    if (values.length > 0 && values.every(isObject)) return listsUnder(values, at)
    const items = values.flat()
    if (!values.every(Array.isArray) || !items.every(isObject) || !items.some(hasId)) return []
    const reasons = [
      JSON.stringify(items).length > size / 2,
      fieldsOf(items) >= fieldsOf(parents),
      listsOfRows.test(key),
      items.length >= many * parents.length,
    ]
    return [{ path: `${at}[]`, items, evidence: reasons.filter(Boolean).length }]
  })
}

const fieldsOf = (objects: readonly JsonObject[]): number =>
  objects.flatMap(Object.values).filter(value => !Array.isArray(value)).length / objects.length

const hasKey = (keys: RegExp) => (item: JsonObject) => Object.keys(item).some(key => keys.test(key))
const hasName = hasKey(/name|title|subject|summary|mail/i)
const hasId = hasKey(/name|title|subject|summary|mail|id$|key$/i)
