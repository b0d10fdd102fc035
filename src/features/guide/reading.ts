// Changes of how a file is read, and of which lines are left out.
import { isMap, isSeq } from 'yaml'
import { compileMapping } from '../../mapping/mapping.ts'
import { type FileFacts, hasTable } from '../draft/drafts.ts'
import { nodeAt, withItem, withoutItem, withValue } from '../draft/edits/yaml-edits.ts'
import type { Flow } from '../draft/yaml.ts'
import type { Guide } from './guide.ts'
import { cellText } from './samples.ts'
import { CallError } from './server.ts'
import { type GridLine, sourceView } from './source-view.ts'
import { readingOf } from './sources.ts'
import type { Seen } from './views.ts'

/** An edit how a file is read; `take_back` imports a line that was left out. */
export type ReadChange =
  | { readonly type: 'header' | 'take_back'; readonly line: number }
  | { readonly type: 'encoding' | 'sheet' | 'rows'; readonly name: string }

/** If the mapping does not fit what is read now, it is drafted anew; `undo` has the old one. */
export async function changeReading({ file, version }: Seen, change: ReadChange, guide: Guide) {
  const { known, mappings } = guide
  const facts = await known.facts(file)
  const { lines } = await sourceView(file, guide)
  return mappings.edit(file, version, async text => {
    if (change.type === 'take_back') return withLine(text, change.line, facts)
    const value = 'name' in change ? change.name : headerRule(change.line, lines)
    const now = withReading(text, change.type, value)
    const mapping = compileMapping(mappings.nameOf(file), now, '')
    const read = await known.factsBy(file, readingOf(now, mapping))
    const names = read.columns.map(({ name }) => name)
    if (!hasTable(read.source) || mapping.columns.missingFrom(names).length === 0) return now
    const draft = known.draftFor(read)
    await known.fillIn(draft)
    return withReading(draft.text, change.type, value) // a draft leaves out what is usual
  })
}

function withReading(text: string, key: string, value: Flow): string {
  if (nodeAt(text, ['source'])) return withValue(text, ['source', key], value)
  return withItem(text.replace(/^body:/m, 'source:\n\nbody:'), ['source'], key, value)
}

/** A header is found by its first cell if no line above has that, else its names stand in the mapping. */
function headerRule(line: number, lines: readonly GridLine[]): Flow {
  const at = lines.findIndex(each => each.line === line)
  const { cells = [] } = lines[at] ?? {}
  if (at <= 0) return true
  const first = cells[0]?.trim() ?? ''
  const isTwice = lines.slice(0, at).some(each => each.cells[0]?.trim() === first)
  if (first !== '' && !isTwice) return { starts_with: first }
  return { columns: cells.map((cell, index) => cell.trim() || `Column ${index + 1}`) }
}

/** Changes the conditions so that they take a line. Throws a CallError if it is not left out. */
function withLine(text: string, line: number, { rows }: FileFacts): string {
  const row = rows.kept.find(each => each.line === line)
  const where = nodeAt(text, ['where'])
  if (row === undefined || !isMap(where)) throw new CallError('bad_call', `line ${line} is not left out`)
  let now = text
  for (const [column, condition] of Object.entries(where.toJSON() as Record<string, Flow>)) {
    const alone = JSON.stringify({ record: 'contact', where: { [column]: condition }, body: { name: 'x' } })
    if (!compileMapping('where', alone, '').selects(row))
      now = withText(now, column, cellText(row, column).trim())
  }
  const left = nodeAt(now, ['where'])
  return isMap(left) && left.items.length > 0 ? now : withoutItem(now, ['where'])
}

/** Lets a condition on a column take one more text. */
function withText(text: string, column: string, cell: string): string {
  const path = ['where', column]
  const condition = nodeAt(text, path)
  if (isSeq(condition)) return withItem(text, path, '-', cell)
  if (!isMap(condition)) return withValue(text, path, [String(condition?.toJSON()), cell])
  const { in: taken, not } = condition.toJSON() as { in?: Flow; not?: Flow }
  if (taken !== undefined) return withValue(text, [...path, 'in'], [...([taken].flat() as Flow[]), cell])
  const others = ([not ?? []].flat() as Flow[]).filter(each => String(each).trim() !== cell)
  return others.length === 0 ? withoutItem(text, path) : withValue(text, [...path, 'not'], others)
}
