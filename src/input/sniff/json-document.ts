type JsonObject = Readonly<Record<string, unknown>>

interface List {
  /** For jq, such as `.data.cards[]`. */
  readonly path: string
  readonly items: readonly JsonObject[]
  readonly hasNames: boolean
  /** How much speaks for a list of rows, rather than for a part of one. */
  readonly evidence: number
}

const partsOfRow =
  /label|(^|_)tags?$|assign|member|participant|attend|comment|attach|mail|phone|address|url|link|name|photo|custom|reaction|watch|follow|relation|remind|review|history|metadata/i
const listsOfRows =
  /^(items|data|results?|values?|records|rows|entries|elements|objects|cards|tasks|todos|issues|tickets|contacts|people|persons|users|leads|companies|customers|accounts)$/i
const many = 5

/** The list of objects that a JSON document is about, as jq writes it: the longest one of those with names. */
export function listIn(parents: readonly JsonObject[], leastEvidence: number): string | undefined {
  const lists = listsUnder(parents, '').filter(({ evidence }) => evidence >= leastEvidence)
  const [best] = lists.sort(
    (a, b) => Number(b.hasNames) - Number(a.hasNames) || b.items.length - a.items.length,
  )
  return best && `${best.path}${listIn(best.items, 3) ?? ''}` // tasks stand in lists of tasks
}

function listsUnder(parents: readonly JsonObject[], path: string): List[] {
  const keys = [...new Set(parents.flatMap(Object.keys))].filter(key => !partsOfRow.test(key))
  const size = JSON.stringify(parents).length
  return keys.flatMap(key => {
    const at = `${path}.${/^[a-z_]\w*$/i.test(key) ? key : JSON.stringify(key)}`
    const values = parents.map(parent => parent[key]).filter(value => value !== null && value !== undefined)
    if (values.length > 0 && values.every(isObject)) return listsUnder(values, at)
    const items = values.flat()
    const isList = values.every(Array.isArray) && items.length > 0 && items.every(isObject)
    return isList && items.some(hasId) ? [{ path: `${at}[]`, ...evidenceFor(key, items, parents, size) }] : []
  })
}

function evidenceFor(
  key: string,
  items: readonly JsonObject[],
  parents: readonly JsonObject[],
  size: number,
) {
  const reasons = [
    JSON.stringify(items).length > size / 2,
    fieldsOf(items) >= fieldsOf(parents),
    listsOfRows.test(key),
    items.length >= many * parents.length,
  ]
  return { items, hasNames: items.some(hasName), evidence: reasons.filter(Boolean).length }
}

const fieldsOf = (objects: readonly JsonObject[]): number =>
  objects.flatMap(Object.values).filter(value => !Array.isArray(value)).length / objects.length

const hasName = (item: JsonObject) =>
  Object.keys(item).some(key => /name|title|subject|summary|mail/i.test(key))
const hasId = (item: JsonObject) => hasName(item) || Object.keys(item).some(key => /id$|key$/i.test(key))

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
