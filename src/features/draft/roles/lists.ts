import { readLine } from '../../../input/ndjson.ts'
import { listIn, listsOfRows, parsed, partsOfRow } from '../../../input/sniff/json-document.ts'
import type { JsonObject } from '../../../model/values.ts'
import type { findLists, JsonList } from '../../json-documents/json-list.ts'
import { surveyOf } from '../columns/survey.ts'
import { rolesOfBoth, scoresOf } from './record.ts'

/** The lists with items, and with the lists in them that hold the rows; that with the columns of contacts or tasks comes first. */
export function rankedLists({ lists, keyed }: Awaited<ReturnType<typeof findLists>>) {
  const rated = [...lists, ...keyed.filter(areRows)]
    .filter(({ path, items }) => items > 0 || path === '')
    .map(({ path: outer, items: count, samples }) => {
      const all = samples.map((text): JsonObject => parsed(text) ?? {})
      const within = listIn(all, 3) // tasks stand in lists of tasks
      const path = [outer, within].filter(Boolean).join('.')
      const items = within === undefined ? all : all.flatMap(item => itemsAt(item, within))
      const isOfParts = path.split('.').some(key => partsOfRow.test(key))
      const inAll = within === undefined ? count : Math.round((items.length / all.length) * count)
      const facts = { path, items: inAll, example: nameIn(items), isOfParts, score: scoreOf(items, path) }
      return { facts, first: items[0] ?? {}, ...idsIn(items) }
    })
  for (const { facts, ids } of rated) {
    const isGroup = rated.some(other => other.facts !== facts && other.texts.some(text => ids.has(text)))
    if (isGroup) facts.score -= ofGroup
  }
  const ranked = rated.sort(({ facts: a }, { facts: b }) => {
    return Number(a.isOfParts) - Number(b.isOfParts) || b.score - a.score || b.items - a.items
  })
  const parentOf = (path: string) => path.replace(/[^.]*$/, '')
  const isBeside = (path: string) => parentOf(path) === parentOf(ranked[0]?.facts.path ?? '')
  const isPart = (first: JsonObject) => areAlike(ranked[0]?.first ?? {}, first)
  return ranked.map(({ facts, first }) => ({ ...facts, isAlike: isBeside(facts.path) && isPart(first) }))
}

/** Objects by their ids that have the same keys, and no lists of rows in them. */
function areRows({ samples }: JsonList): boolean {
  const [first = {}, ...others] = samples.map((text): JsonObject => parsed(text) ?? {})
  const isAlike = (other: JsonObject) => areAlike(first, other)
  return others.length > 0 && others.every(isAlike) && listIn([first, ...others], 3) === undefined
}

const areAlike = (one: JsonObject, other: JsonObject) =>
  2 * Object.keys(one).filter(key => key in other).length > Object.keys({ ...one, ...other }).length

/** Less for a list whose ids another one holds, as the columns of a board. */
const ofGroup = 2
const idKey = /^_?(id|gid|uuid|guid)$/i

/** The own ids of items, and their other texts, which may be ids of others. */
function idsIn(items: readonly JsonObject[]) {
  const cells = items.flatMap(item => Object.entries(item)).filter(([, value]) => typeof value !== 'object')
  const [own, others] = [cells.filter(([key]) => idKey.test(key)), cells.filter(([key]) => !idKey.test(key))]
  return { ids: new Set(own.map(([, id]) => String(id))), texts: others.map(([, text]) => String(text)) }
}

/** The items of the lists at a path, which may lead through lists. */
const itemsAt = (item: JsonObject, path: string) =>
  path.split('.').reduce((all, key) => all.flatMap(each => (each[key] ?? []) as JsonObject[]), [item])

/** What the columns say for contacts or for tasks, and the name of the list. */
function scoreOf(items: readonly JsonObject[], path: string): number {
  const name = path.replace(/^.*\./s, '')
  const survey = surveyOf(undefined)
  for (const [at, item] of items.entries())
    survey.add(readLine({ source: name, row: at + 1, line: at + 1 }, JSON.stringify(item), false))
  const { columns, rows } = survey.end(true)
  const { contact, task } = rolesOfBoth(columns, rows)
  const score = scoresOf(contact, task, name)
  return Math.max(score.contact, score.task) + (listsOfRows.test(name) ? 1 : 0)
}

const nameIn = ([item = {}]: readonly JsonObject[]): string | undefined => {
  const texts = Object.entries(item).filter(([, value]) => typeof value === 'string' && value.trim() !== '')
  const [, text] = texts.find(([key]) => /name|title|subject|summary|mail/i.test(key)) ?? texts[0] ?? []
  return text as string | undefined
}
