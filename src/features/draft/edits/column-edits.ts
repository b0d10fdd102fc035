// What the choice for a column changes in a mapping. Its rule is put under a field, or taken out of all places that read it; that it is not
// imported is a comment: `# not imported: Birthday`.
import { isMap, isSeq, parse } from 'yaml'
import { compileMapping } from '../../../mapping/mapping.ts'
import { isRule, ruleMarks } from '../../../mapping/rule.ts'
import { UsageError } from '../../../model/errors.ts'
import { isObject } from '../../../model/values.ts'
import { LocatedYaml } from '../../../settings/located-yaml.ts'
import { type Flow, type FlowMap, word } from '../yaml.ts'
import { nodeAt, type Path, withItem, withoutItem, withValue } from './yaml-edits.ts'

const mark = '# not imported: '

/** The columns of which a mapping says that they are not imported. */
export function decisionsIn(text: string): ReadonlySet<string> {
  const lines = text.split('\n').filter(line => line.startsWith(mark))
  return new Set(lines.map(line => String(parse(line.slice(mark.length)))))
}

/** Notes at the end, below the columns that are not mapped, that one is not imported; or takes that back, and its line there if it is mapped. */
export function withDecision(text: string, column: string, isImported: boolean | undefined): string {
  const own = (line: string) => line === mark + word(column)
  const listed = (line: string) => isImported === true && line.startsWith(`#   ${word(column)}: `)
  const kept = text.split('\n').filter(line => !own(line) && !listed(line))
  return isImported === false
    ? [...kept.join('\n').trimEnd().split('\n'), mark + word(column), ''].join('\n')
    : kept.join('\n')
}

export type Body = ReturnType<typeof bodyIn>

/** The content of a mapping, and the places in its body that read each column; those of a header may be in other letters. */
export function bodyIn(text: string, header: readonly string[] = []) {
  const content = new LocatedYaml('mapping', text).content as FlowMap
  const strict = JSON.stringify({ ...content, optional_columns: false }) // optional ones have no place
  const { columns } = compileMapping('mapping', strict, '')
  const all = columns.missingFrom([])
  const ofBody = all.flatMap(({ name, at }) => {
    const actual = columns.actualIn(name, header) ?? name
    return at.flatMap(place => (place[0] === 'body' ? { name: actual, place: place as Path } : []))
  })
  /** A path is read with the object that holds it. */
  const placesOf = (column: string): readonly Path[] =>
    ofBody.flatMap(({ name, place }) => (`${column}.`.startsWith(`${name}.`) ? [place] : []))
  /** The rule or template that a place is in. */
  const ruleAt = (place: Path) => {
    const end = place.findLastIndex(step => step === 'from' || step === 'join' || step === 'expr')
    const path = end < 0 ? place : place.slice(0, end)
    return { path, rule: path.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], content) }
  }
  const othersAt = (place: Path) =>
    ofBody.filter(each => each.place.join('\n') === place.join('\n')).length - 1
  return { content, placesOf, ruleAt, othersAt }
}

/** Takes a column out of the body. Throws a UsageError if an expression reads it with others, or nothing would be left. */
export function withoutColumn(text: string, column: string): string {
  const body = bodyIn(text, [column]) // a preset may name it in other letters
  const place = body.placesOf(column).at(-1)
  if (place === undefined) return text
  return withoutColumn(withoutPlace(text, place, column, body), column)
}

function withoutPlace(text: string, place: Path, column: string, { ruleAt, othersAt }: Body): string {
  const { path, rule } = ruleAt(place)
  if (typeof rule === 'string') {
    const left = rule.replaceAll(`{{${column}}}`, '').replaceAll(/\s+/g, ' ').trim()
    return left.includes('{{') ? withValue(text, path, left) : withoutField(text, path)
  }
  const { from, join, expr, default: instead, required } = rule as FlowMap
  const isOneOf = [from, join].some(all => Array.isArray(all) && all.length > 1)
  if (isOneOf && typeof place.at(-1) === 'number') return withoutItem(text, place)
  if (expr !== undefined && othersAt(place) > 0) throw new UsageError('edit_by_hand', { column })
  // the column that stands in for an empty one takes its place
  if (isObject(instead)) return withValue(text, path, { ...(instead as FlowMap), required })
  return withoutField(text, path)
}

/** Takes a rule out, with the objects and lists that would hold nothing but constants. */
function withoutField(text: string, path: Path): string {
  const above = path.slice(0, -1)
  const now = withoutItem(text, path)
  const parent = nodeAt(now, above)
  if (parent && hasRule(parent.toJSON())) return now
  if (above.length === 1) throw new UsageError('last_field')
  return withoutField(text, above)
}

function hasRule(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return String(value).includes('{{')
  return ruleMarks.some(mark => Object.hasOwn(value, mark)) || Object.values(value).some(hasRule)
}

/** Fields that several columns make together, with what stands between them. */
const joined: Readonly<Record<string, string>> = { name: ' ', address: ', ', description: '\n' }

/** Puts a rule under a field, such as `emails.email`; in a list it is one more item. `constants` stand beside it there. */
export function withRule(
  text: string,
  field: string,
  rule: FlowMap,
  isList: (path: string) => boolean,
  constants: FlowMap,
) {
  const steps = field.split('.')
  let path: Path = ['body']
  for (const [at, step] of steps.entries()) {
    const own = [...path, step]
    const node = nodeAt(text, own)
    const old = node?.toJSON() as Flow | undefined
    const rest = steps.slice(at + 1)
    const value = rest.reduceRight<Flow>((inner, key) => ({ [key]: inner }), rule)
    if (rest.length > 0 && isList(steps.slice(0, at + 1).join('.'))) {
      const item = itemOf(rest, rule, constants)
      if (isSeq(node)) return withItem(text, own, '-', item)
      return withItem(withoutItem(text, own), path, step, [...(old ? [old] : []), item])
    }
    if (node === undefined) return withItem(text, path, step, value)
    if (rest.length === 0)
      return withValue(text, own, path.length === 1 ? joinedWith(old, rule, joined[step]) : rule)
    if (!isMap(node) || isRule(old as FlowMap)) return withValue(text, own, value)
    path = own
  }
  return text
}

/** An item of a list; of a cell with several values, an item for each. */
function itemOf(steps: readonly string[], { split, from, ...rule }: FlowMap, constants: FlowMap): FlowMap {
  const inside = (from: Flow | undefined): FlowMap => {
    const all = steps.reduceRight<Flow>((inner, step) => ({ [step]: inner }), { from, ...rule })
    return { ...constants, ...(all as FlowMap) }
  }
  return split === undefined ? inside(from) : { from, split, each: inside('.') }
}

/** The columns of a text with one more; any other field is taken over. */
function joinedWith(old: Flow | undefined, rule: FlowMap, separator: string | undefined): Flow {
  const added = [rule.from ?? rule.join ?? []].flat() as Flow[]
  if (separator === undefined || !old) return rule
  if (typeof old === 'string' && old.includes('{{')) return `${old}${separator}{{${added.join('}} {{')}}}`
  if (!isObject(old)) return rule
  const { from: first, join = first, ...rest } = old as FlowMap
  const others = [join ?? []].flat() as Flow[]
  return others.length === 0 ? rule : { join: [...others, ...added], with: separator, ...rest }
}

/** Sets parts of a rule that stands there; undefined takes a part out. */
export function withParts(text: string, path: Path, parts: FlowMap): string {
  return Object.entries(parts).reduce((now, [key, value]) => {
    const part = [...path, key]
    if (value === undefined) return withoutItem(now, part)
    return nodeAt(now, part) ? withValue(now, part, value) : withItem(now, path, key, value)
  }, text)
}
