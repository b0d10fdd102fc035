import type { Drafted } from './drafted.ts'
import type { Link, Links } from './link-lines.ts'
import { sourceValues } from './opening.ts'
import { isMultiple, type Relation } from './relations.ts'
import { headerWords } from './words.ts'
import { compact, quote, type Rule, word } from './yaml.ts'

/** The key of a file: the column that others refer to. A name is none where rows have ids, for names change. */
function keyFor(file: Drafted, relations: readonly Relation[]): Links['key'] {
  const asking = relations.filter(({ from, to }) => to === file && from !== file)
  if (file.kind === 'users' || asking.some(({ by }) => by === file.key)) return undefined
  const best = asking.find(({ by, isSure }) => {
    const { filled = 0, repeats = 1 } = file.values.get(by) ?? {}
    if (file.key === undefined) return repeats === 0 || file.distinct !== undefined
    return isSure && repeats === 0 && filled === file.found.rows.rows && by !== file.name
  })
  if (best === undefined) return undefined
  const others = `${quote(best.column.name)} of ${best.from.path} names the rows of this file by this column.`
  const first = 'The first row with each value is an organization; the file has nothing else of it.'
  return { column: best.by, why: file.distinct === undefined ? others : first }
}

/** The relations to files without a key: their rows cannot be found. */
export const withoutKey = (relations: readonly Relation[]): Relation[] =>
  relations.filter(
    ({ from, to }) => from !== to && to.key === undefined && keyFor(to, relations) === undefined,
  )

/** The links of a file to others, and its key. */
export function linksOf(file: Drafted, relations: readonly Relation[]): Links {
  const links = relations
    .filter(({ from }) => from === file)
    .map(relation => linkFor(relation, keyFor(relation.to, relations)?.column ?? relation.to.key ?? ''))
  const { distinct, isOfOrganizations = false } = file
  return { links, key: keyFor(file, relations), distinct, isOfOrganizations }
}

const nothing = /^(0|-+|n\/?a|none|null|nil|\\n)$/
const mostRefused = 0.02

/** Hardly any value is missing: such rows are refused and corrected. */
function fateOf({ total, found, missing = '', column, from, to, by }: Relation) {
  if (to.distinct === column.name && to.path === from.path)
    return { note: `Each ${word(by)} is an organization of its own: ${to.step}.yaml.` }
  const read = to.found.rows.isAll ? '' : ' (of which only the first were read)'
  const names = `${quote(column.name)} names rows of ${to.path}${read} by ${quote(by)}`
  const absent = total - found
  if (absent === 0) return { note: `${names}; all of its values are there.` }
  const isStrict = absent <= total * mostRefused && !nothing.test(missing)
  const fate = isStrict ? 'their rows are refused' : 'such links are left out, and cannot be added later'
  const some = `${absent.toLocaleString('en')} of ${total.toLocaleString('en')} different values, such as ${quote(missing)}`
  return { missing: isStrict ? undefined : 'omit', note: `${names}; ${some}, are not there: ${fate}.` }
}

function tableOf({ path, found }: Drafted, key: string, value: string): Rule {
  const source = sourceValues(found.source, found.rows) as Rule
  return { file: path, key, value, source: Object.keys(source).length > 0 ? source : undefined }
}

function linkFor(relation: Relation, key: string): Link {
  const { from, column, to, by, field, sign, isSure } = relation
  const { missing, note } = fateOf(relation)
  const isMany = isMultiple(field) && (sign !== undefined || column.isList)
  const isUser = to.kind === 'users'
  const isChained = !isUser && from !== to && by !== key
  const keys = `${to.step}_by_${headerWords(by).replaceAll(' ', '_')}`
  const step = isUser ? tableOf(to, by, key) : from === to ? { self: true, by } : { step: to.step }
  const cell = isMany ? '$item' : cellOf(relation)
  const rule: Rule = isChained
    ? { expr: `$lookup('${to.step}', $lookup('${keys}', ${cell}))`, missing }
    : { from: isMany ? '.' : column.name, lookup: to.step, missing, as: isUser ? 'integer' : undefined }
  const more = compact(
    isChained && `Its rows are known by ${quote(key)}, which is looked up first.`,
    isUser && `Its ${quote(key)} is sent as the id of the user.`,
  )
  const record = field === 'assigned_user_id' ? rule : { [isUser ? 'user_id' : 'record_id']: rule }
  return {
    ...{
      column: column.name,
      field,
      isSure,
      isAlone: field !== 'contacts' && (isSure || field === 'parent'),
    },
    note: [note, ...more].join(' '),
    value: isMany ? { from: column.name, split: sign, each: record } : record,
    lookups: { ...(isChained && { [keys]: tableOf(to, by, key) }), [to.step]: step },
  }
}

/** A column in an expression. */
const cellOf = ({ from, column: { name } }: Relation) =>
  (from.found.source.format === 'csv' ? [name] : name.split('.')).map(part => `\`${part}\``).join('.')
