import { grouped } from '../../../output/text.ts'
import { headerWords } from '../columns/words.ts'
import { type FileFacts, hasTable } from '../drafts.ts'
import { changed, field, group, suggestion, textOf, together, withPart } from '../lines.ts'
import { sourceValues } from '../opening.ts'
import { compact, type FlowMap, flow, quote, word } from '../yaml.ts'
import type { DraftedFile, Relation } from './relations.ts'

export function linksOf(file: DraftedFile, relations: readonly Relation[]): NonNullable<FileFacts['links']> {
  const usable = relations.filter(({ left }) => left === undefined)
  const links = usable.filter(({ from }) => from === file).map(linkFor)
  const asking = usable.find(({ from, to, by, key }) => to === file && from !== file && by === key)
  const key = keyLines(file, asking)
  return {
    key,
    columns: links.filter(({ isAlone }) => isAlone).map(({ column }) => column),
    into(lines) {
      const has = (name: string) => textOf(lines).includes(`\n${name}`)
      const open = links.filter(link => !link.isAlone || !has(`  ${link.field}:`))
      const parts = (isItem: boolean) => open.filter(link => link.isItem === isItem).map(({ part }) => part)
      const whole = withPart(lines, together(group('contacts', parts(true)), ...parts(false)))
      if (file.kind !== 'organization') return whole
      return whole.flatMap(line => changed(line, text => [asOrganization(text)]))
    },
  }
}

/** The key that the file itself does not name. */
function keyLines({ isOfValues, key = '', facts }: DraftedFile, asking: Relation | undefined) {
  if (isOfValues) {
    const not = [...(facts.columns[0]?.distinct?.nothing ?? [])]
    const where = { distinct: key, ...(not.length > 0 && { [key]: { not } }) }
    const note = 'The first row with each value is an organization; the file has nothing else of it.'
    return [...field('key', key, note).lines, `where: ${flow(where)}`]
  }
  if (key !== '' || asking === undefined) return undefined
  const note = `${quote(asking.column.name)} of ${asking.from.path} names the rows of this file by this column.`
  return field('key', asking.by, note).lines
}

const asOrganization = (line: string) =>
  line.replace(/^( {2}record_sub_type: )person$/, '$1organization # so other files name these rows')

const mostRefused = 0.02

/** Decides about values that are missing: if they are few, their rows are refused and corrected. */
function missingOf({ total, matched, missing, column: { name, distinct }, to, by }: Relation) {
  const read = to.facts.rows.isAll ? '' : ' (of which only the first were read)'
  const names = to.isOfValues
    ? `Each ${word(by)} is an organization of its own, in ${to.step}.yaml`
    : `${quote(name)} names rows of ${to.path}${read} by ${quote(by)}`
  const absent = total - matched
  const isStrict = absent <= total * mostRefused && distinct?.nothing.size === 0
  const many = `${grouped(absent)} of ${grouped(total)} different values, such as ${quote(missing ?? '')},`
  const ending = isStrict ? 'their rows are refused' : 'such links are left out, and cannot be added later'
  const rest = absent === 0 ? 'all of its values are there' : `${many} are not there: ${ending}`
  return { missing: isStrict ? undefined : 'omit', note: `${names}; ${rest}.` }
}

function tableOf({ path, facts }: DraftedFile, key: string, value: string): FlowMap {
  const source = sourceValues(facts.source, facts.rows) as FlowMap
  return { file: path, key, value, source: Object.keys(source).length > 0 ? source : undefined }
}

function linkFor(relation: Relation) {
  const { from, column, to, by, field: name, sign, isSure, key = by } = relation
  const { missing, note } = missingOf(relation)
  const isMany = name === 'contacts' && (sign !== undefined || column.isList)
  const isUser = to.kind === 'users'
  const isChained = !isUser && from !== to && by !== key
  const keys = `${to.step}_by_${headerWords(by).replaceAll(' ', '_')}`
  const step = isUser ? tableOf(to, by, key) : from === to ? { self: true, by } : { step: to.step }
  const rule: FlowMap = isChained
    ? { expr: `$lookup('${to.step}', $lookup('${keys}', ${isMany ? '$item' : cellOf(relation)}))`, missing }
    : { from: isMany ? '.' : column.name, lookup: to.step, missing, as: isUser ? 'integer' : undefined }
  const more = compact(
    isChained && `Its rows are known by ${quote(key)}, which is looked up first.`,
    isUser && `Its ${quote(key)} is sent as the id of the user.`,
  )
  const record = name === 'assigned_user_id' ? rule : { [isUser ? 'user_id' : 'record_id']: rule }
  const value = isMany ? { from: column.name, split: sign, each: record } : record
  const isOfContacts = name === 'contacts'
  const isItem = isSure && isOfContacts
  const text = [note, ...more].join(' ')
  const question = `? ${text} Is that so? Then put this in:`
  const part = isSure
    ? field(isItem ? '-' : name, value, text)
    : suggestion(field(name, isOfContacts ? [value] : value), question)
  const used = { ...(isChained && { [keys]: tableOf(to, by, key) }), [to.step]: step }
  const isAlone = !isOfContacts && (isSure || name === 'parent')
  return { column: column.name, field: name, isItem, isAlone, part: { ...part, used } }
}

/** A column in an expression. */
const cellOf = ({ from, column: { name } }: Relation) =>
  (hasTable(from.facts.source) ? [name] : name.split('.')).map(part => `\`${part}\``).join('.')
