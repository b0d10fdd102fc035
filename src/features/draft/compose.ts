import { commandLine, sourceWord } from '../../output/text.ts'
import { kinds, type RecordType } from '../../records/kinds.ts'
import { Column } from './columns/column.ts'
import { type FileFacts, hasTable, type SourceFacts } from './drafts.ts'
import { addressColumns } from './fields/address.ts'
import { contactParts, reachedAsOthers } from './fields/contact.ts'
import { taskParts } from './fields/task.ts'
import { whereLines } from './fields/where.ts'
import { type Fragment, indent, question, together } from './lines.ts'
import notes from './notes.json' with { type: 'json' }
import { emptyPart, sourcePart } from './opening.ts'
import { keyLines } from './roles/key.ts'
import { namedBy } from './roles/names.ts'
import { isKnown, recordOf, rolesOfBoth } from './roles/record.ts'
import { comment, compact, type Flow, flow, word } from './yaml.ts'

/** The lines of a mapping for a file of an unknown product. */
export function compose(file: FileFacts) {
  const { source } = file
  const odd = new Set([...file.rows.noRows, ...file.rows.titles])
  const rows = { ...file.rows, kept: file.rows.kept.filter(row => !odd.has(row)) }
  const readable = file.columns.filter(canBeRead)
  // Without any, the first column of a table, or a placeholder.
  const nameless = Object.assign(new Column(hasTable(source) ? '' : 'COLUMN'), { isList: true })
  const columns = readable.length > 0 ? readable : [nameless]
  // while the header is in question its cells are no words, unless two of them are
  if (source.header?.nameless && columns.filter(isKnown).length < 2)
    for (const [at, column] of columns.entries()) column.words = `column ${at + 1}`
  const { contact, task } = rolesOfBoth(columns, rows)
  const known = file.record && { record: file.record, asks: false }
  const { record, asks } = known ?? recordOf(contact, task, nameOfRows(source))
  const named = namedBy(contact, source.name)
  const isContact = record === 'contact'
  const names = isContact ? named.names : task.all('name')
  const parts = isContact ? contactParts(contact, named, file.country) : taskParts(task, file)
  const body = together(...parts)
  const kind = named.kind === 'organization' && isContact ? named.kind : record
  const ofContact = [...contact.others, ...addressColumns(contact), ...reachedAsOthers(contact, names)]
  const own = isContact ? columns.filter(column => !ofContact.includes(column)) : columns
  const lines = [
    ...recordLines(record, asks && source.name, file.record === undefined && kind),
    '',
    ...(file.links?.key ?? keyLines(own, isContact ? named.kind : 'task', rows, names)),
    ...whereLines(columns, names, file.rows, isContact ? undefined : task),
    ...compact(sourcePart(file), emptyPart(file)).flatMap(({ lines }) => ['', ...lines]),
    ...lookupLines(body),
    '',
    'body:',
    ...[...body.lines, ...notes.custom_field.map(line => line.replace('{record}', record))].map(indent),
  ]
  return { lines, roles: { contact, task }[record] }
}

/** The name of the file, and what it calls the list of its rows; cards of a document are those of a board. */
const nameOfRows = ({ name, settings: { rows = '' } }: SourceFacts): string =>
  `${name} ${rows.replace(/^.*\./s, '').replace(/^cards$/i, 'tasks')}`

/** Trimming must not change the name, and objects cannot be read. */
const canBeRead = ({ name, hasObjects }: Column) =>
  !hasObjects && name === name.trim() && name !== 'rowlift_key'

/** Lines about the record; `kind` is missing if the person chose it. */
function recordLines(record: RecordType, asksFor: string | false, kind: string | false) {
  const other = record === 'contact' ? 'task' : 'contact'
  const text = `Is each row a contact, a task, or neither, such as a product, a message or hours that were worked? The columns hardly say it. A file of ${other}s is drafted with:`
  const command = asksFor && commandLine(['init', sourceWord(asksFor), '--record', other])
  const instead = `"rowlift init --record ${other}" drafts ${other}s instead`
  const note = !command && kind && `The columns are those of ${kind}s; ${instead}.`
  const standing = [...compact(note).map(comment), `record: ${record}`]
  const offer = (id: RecordType, lines: readonly string[]) => ({ id, label: `${id}s`, part: { lines } })
  const asked = command && question(text, [offer(other, [])], offer(record, standing), [command])
  return [...(asked ? asked.lines : standing), ...(kinds[record].findsSimilar ? notes.use_created : [])]
}

/** One block, because a mapping has a single `lookups:`. */
function lookupLines({ used, lookups }: Required<Fragment>): string[] {
  const line = ([name, spec = null]: [string, Flow | undefined]) => `${word(name)}: ${flow(spec)}`
  const [own, suggested] = [Object.entries(used).map(line), Object.entries(lookups).map(line)]
  const rest = suggested.length > 0 ? [notes.lookups, ...suggested.map(comment)] : []
  if (own.length > 0) return ['', 'lookups:', ...[...own, ...rest].map(indent)]
  return rest.length > 0
    ? ['', notes.lookups, '# lookups:', ...suggested.map(each => comment(indent(each)))]
    : []
}
