import type { Found } from '../columns/survey.ts'
import { headerWords } from '../columns/words.ts'
import { sourceValues } from '../opening.ts'
import {
  asked,
  comment,
  compact,
  field,
  flow,
  group,
  indent,
  quote,
  type Rule,
  suggestion,
  together,
  word,
  wrapped,
} from '../yaml.ts'
import type { Drafted } from './drafted.ts'
import { isMultiple, nothing, type Relation } from './relations.ts'

/** The column by which others refer to a file without a better key. A name is none where rows have ids, for names change. */
function keyFor(file: Drafted, relations: readonly Relation[]): Relation | undefined {
  const asking = relations.filter(({ from, to }) => to === file && from !== file)
  if (file.kind === 'users' || asking.some(({ by }) => by === file.key)) return undefined
  return asking.find(({ by, isSure }) => {
    const { filled = 0, repeats = 1 } = file.values.get(by) ?? {}
    if (file.key === undefined) return repeats === 0 || file.distinct !== undefined
    return isSure && repeats === 0 && filled === file.found.rows.rows && by !== file.name
  })
}

/** The relations to files without a key: their rows cannot be found. */
export const withoutKey = (relations: readonly Relation[]): Relation[] =>
  relations.filter(({ from, to }) => from !== to && (to.key ?? keyFor(to, relations)) === undefined)

/** What the draft of a file holds of the others. */
export function linksOf(file: Drafted, relations: readonly Relation[]): NonNullable<Found['links']> {
  const links = relations
    .filter(({ from }) => from === file)
    .map(relation => linkFor(relation, keyFor(relation.to, relations)?.by ?? relation.to.key ?? ''))
  const key = keyFor(file, relations)
  return {
    columns: links.filter(({ isAlone }) => isAlone).map(({ column }) => column),
    into(lines) {
      const isThere = (name: string) => lines.some(line => line.startsWith(`  ${name}:`))
      const usable = links.filter(link => !link.isAlone || !isThere(link.field))
      const keyed = key ? withKey(lines, key) : lines
      const all = withLookups(withFields(keyed, usable), usable)
      return file.isOfOrganizations ? all.map(asOrganization) : all
    },
  }
}

const asOrganization = (line: string) =>
  line.replace(
    /^ {2}record_sub_type: person$/,
    '  record_sub_type: organization # so other files name these rows',
  )

/** Cells that name nothing. */
function nothingIn({ found }: Drafted, name: string): string[] {
  const texts = found.rows.kept.map(row => String(row.value(name) ?? '').trim())
  return [...new Set(texts.filter(text => nothing.test(text)))]
}

const mostRefused = 0.02

/** Hardly any value is missing: such rows are refused and corrected. */
function fateOf({ total, found, missing = '', column, from, to, by }: Relation) {
  if (to.distinct === column.name && to.path === from.path)
    return {
      missing: nothingIn(from, by).length > 0 ? 'omit' : undefined,
      note: `Each ${word(by)} is an organization of its own: ${to.step}.yaml.`,
    }
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

function linkFor(relation: Relation, key: string) {
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

type Link = ReturnType<typeof linkFor>

/** In the place of the key and its comments. */
function withKey(lines: readonly string[], { from: other, column, to: file, by }: Relation): string[] {
  const others = `${quote(column.name)} of ${other.path} names the rows of this file by this column.`
  const first = 'The first row with each value is an organization; the file has nothing else of it.'
  const not = nothingIn(file, by)
  const where = flow({ distinct: by, ...(not.length > 0 && { [by]: { not } }) })
  const key = `key: ${word(by)}`
  const block =
    file.distinct === undefined ? [comment(others), key] : [comment(first), key, `where: ${where}`]
  const at = lines.findIndex(line => /^(# )?key: /.test(line))
  if (at < 0) return lines.flatMap(line => (/^record:/.test(line) ? [line, ...block] : [line]))
  const from = lines.findLastIndex((line, place) => place < at && !line.startsWith('#')) + 1
  const to = lines.findIndex(
    (line, place) => place > at && !(lines[at]?.startsWith('#') && line.startsWith('#')),
  )
  return lines.toSpliced(from, to - from, ...block)
}

/** A mapping has a single `lookups:`, which may be a comment as yet. */
function withLookups(lines: readonly string[], links: readonly Link[]): string[] {
  const lookups = Object.entries<Rule>(Object.assign({}, ...links.map(link => link.lookups)))
  if (lookups.length === 0) return [...lines]
  const block = ['lookups:', ...lookups.map(([name, spec]) => `  ${word(name)}: ${flow(spec)}`)]
  const at = lines.findIndex(line => /^(# )?lookups:$/.test(line))
  const body = lines.findIndex(line => line.startsWith('body:'))
  return at < 0 ? lines.toSpliced(body, 0, ...block, '') : lines.toSpliced(at, 1, ...block)
}

/** Below the name. */
function withFields(lines: readonly string[], links: readonly Link[]): string[] {
  const name = lines.findIndex(line => line.startsWith('  name:'))
  const next = lines.findIndex((line, at) => at > name && !line.startsWith('   '))
  const fields = [...new Set(links.map(link => link.field))].flatMap(name => {
    const isList = isMultiple(name)
    const own = links.filter(link => link.field === name)
    const sure = own.filter(({ isSure }) => isSure)
    const items = sure.map(({ value, note }) => field(isList ? '-' : name, value, note))
    const questions = own
      .filter(({ isSure }) => !isSure)
      .map(({ value, note }) =>
        suggestion(name, isList ? [value] : value, [asked(`${note} Is that so? Then put this in:`)]),
      )
    return together(isList ? group(name, items) : items[0], ...questions).lines
  })
  return lines.toSpliced(next < 0 ? lines.length : next, 0, ...fields.map(indent).flatMap(wrapped))
}
