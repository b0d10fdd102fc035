// What a choice for a column changes in a mapping: its rule is put under a field, or taken out of all places.
import { isMap, isScalar, isSeq, type Node } from 'yaml'
import { compileMapping } from '../../mapping/mapping.ts'
import { ruleMarks } from '../../mapping/rule.ts'
import { LocatedYaml } from '../../settings/located-yaml.ts'
import type { Flow, FlowMap } from '../draft/yaml.ts'
import { CallError } from './server.ts'
import { nodeAt, type Path, withItem, withoutItem, withValue } from './yaml-edits.ts'

/** The places in the body that read a column, in the order of the text. */
export function placesOf(text: string, column: string): Path[] {
  const { content } = new LocatedYaml('mapping', text)
  const strict = JSON.stringify({ ...(content as object), optional_columns: false }) // optional ones have no place
  const all = compileMapping('mapping', strict, '').columns.missingFrom([])
  return all.filter(({ name }) => name === column).flatMap(({ at }) => at.filter(([part]) => part === 'body'))
}

const ruleParts: readonly unknown[] = ['from', 'join', 'expr']

/** The rule or template that a place is in. */
export function ruleAt(
  text: string,
  place: Path,
): { readonly path: Path; readonly rule: Record<string, unknown> | string } {
  const end = place.findLastIndex(step => ruleParts.includes(step))
  const path = end < 0 ? place : place.slice(0, end)
  return { path, rule: nodeAt(text, path)?.toJSON() }
}

/** Takes a column out of the body. Throws a CallError if an expression reads it with others, or nothing would be left. */
export function withoutColumn(text: string, column: string): string {
  const place = placesOf(text, column).at(-1)
  if (place === undefined) return text
  return withoutColumn(withoutPlace(text, place, column), column)
}

function withoutPlace(text: string, place: Path, column: string): string {
  const { path, rule } = ruleAt(text, place)
  if (typeof rule === 'string') {
    const left = rule.replaceAll(`{{${column}}}`, '').replaceAll(/\s+/g, ' ').trim()
    return left.includes('{{') ? withValue(text, path, left) : withoutField(text, path)
  }
  const list = [rule?.from, rule?.join].find(Array.isArray)
  if (typeof place.at(-1) === 'number' && list && list.length > 1) return withoutItem(text, place)
  const isShared = rule?.expr !== undefined && otherColumnsAt(text, place, column)
  if (isShared)
    throw new CallError(
      'bad_call',
      `an expression reads "${column}" with other columns: change it in the mapping itself`,
    )
  return withoutField(text, path)
}

function otherColumnsAt(text: string, place: Path, column: string): boolean {
  const all = compileMapping('mapping', text, '').columns.missingFrom([])
  return all.some(({ name, at }) => name !== column && at.some(each => each.join('\n') === place.join('\n')))
}

/** Takes a rule out, with the objects and lists that would hold nothing but constants. */
function withoutField(text: string, path: Path): string {
  const above = path.slice(0, -1)
  const now = withoutItem(text, path)
  const parent = nodeAt(now, above)
  if (above.length === 0 || (parent && isLive(parent))) return now
  if (above.length === 1)
    throw new CallError('bad_call', 'the mapping has no other field: choose another one first')
  return withoutField(text, above)
}

/** Checks that a rule or a template stands in a node. */
function isLive(node: Node): boolean {
  const isOne = (value: unknown): boolean => {
    if (typeof value !== 'object' || value === null) return String(value).includes('{{')
    return ruleMarks.some(mark => Object.hasOwn(value, mark)) || Object.values(value).some(isOne)
  }
  return isOne(node.toJSON())
}

/** Fields of text that several columns make together, with what stands between them. */
const joined: Readonly<Record<string, string>> = { name: ' ', address: ', ', description: '\n' }

/** Puts a rule under a field, such as `emails.email`; in a list it is one more item. `of` are constants beside it. */
export function withRule(
  text: string,
  field: string,
  rule: FlowMap,
  isList: (path: string) => boolean,
  of: FlowMap = {},
) {
  const steps = field.split('.')
  let path: Path = ['body']
  for (const [at, step] of steps.entries()) {
    const [rest, here] = [steps.slice(at + 1), steps.slice(0, at + 1).join('.')]
    const node = nodeAt(text, [...path, step])
    const asItem = () => itemOf(rest, rule, of)
    if (isList(here) && rest.length > 0) {
      if (isSeq(node)) return withItem(text, [...path, step], '-', asItem())
      const old = node === undefined || (isScalar(node) && node.value === null) ? [] : [node.toJSON() as Flow]
      if (old.length === 0) return withItem(text, path, step, [asItem()])
      return withItem(withoutItem(text, [...path, step]), path, step, [...old, asItem()])
    }
    if (rest.length === 0)
      return node === undefined ? withItem(text, path, step, rule) : taking(text, [...path, step], rule)
    if (!isMap(node) || isRule(node))
      return node === undefined
        ? withItem(text, path, step, nested(rest, rule))
        : withValue(text, [...path, step], nested(rest, rule))
    path = [...path, step]
  }
  return text
}

const isRule = (node: Node) => isMap(node) && ruleMarks.some(mark => node.has(mark))
const nested = (steps: readonly string[], rule: Flow): Flow =>
  steps.reduceRight<Flow>((inner, step) => ({ [step]: inner }), rule)

/** An item of a list; of a cell with several values, an item for each. */
function itemOf(steps: readonly string[], { split, from, ...each }: FlowMap, of: FlowMap): Flow {
  if (split === undefined) return { ...of, ...(nested(steps, { from, ...each }) as FlowMap) }
  return { from, split, each: { ...of, ...(nested(steps, { from: '.', ...each }) as FlowMap) } }
}

/** Joins a column to those of a text, or takes the field over. */
function taking(text: string, path: Path, rule: FlowMap): string {
  const old = nodeAt(text, path)?.toJSON()
  const separator = joined[String(path.at(-1))]
  const isPlain = path.length === 2 && separator !== undefined
  if (!isPlain || old === undefined || old === null) return withValue(text, path, rule)
  if (typeof old === 'string') return withValue(text, path, `${old}${separator}{{${rule.from}}}`)
  if (Array.isArray(old.join)) return withItem(text, [...path, 'join'], '-', rule.from ?? '')
  if (typeof old.from !== 'string') return withValue(text, path, rule)
  const { from, ...rest } = old
  return withValue(text, path, { join: [from, rule.from], with: separator, ...rest })
}

/** Sets parts of a rule that stands there; undefined takes a part out. */
export function withParts(text: string, path: Path, parts: FlowMap): string {
  return Object.entries(parts).reduce((now, [key, value]) => {
    const has = nodeAt(now, [...path, key]) !== undefined
    if (value === undefined) return has ? withoutItem(now, [...path, key]) : now
    return has ? withValue(now, [...path, key], value) : withItem(now, path, key, value)
  }, text)
}
