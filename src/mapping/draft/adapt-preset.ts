import { parseDocument } from 'yaml'
import { sourceSchema } from '../source-schema.ts'
import type { RowFacts, SourceFacts } from './facts.ts'
import { sourceValues } from './source-part.ts'

/** A preset and its text. */
export interface Preset {
  readonly name: string
  readonly text: string
}

/** The text of a preset with a `source:` that reads this very file; what it says already stays as it stands. */
export function adaptedPreset({ text }: Preset, source: SourceFacts, rows: RowFacts): string {
  const own = withoutSchemaLine(text)
  const [start, end] = sourceRange(own)
  const document = parseDocument(own.slice(start, end))
  const said = document.toJS()?.source ?? {}
  const { header: found, ...settings } = sourceValues(source, rows)
  const wanted = { ...settings, ...headerWanted(said, found) }
  const changed = Object.entries(wanted).filter(
    ([key, value]) => JSON.stringify(said[key]) !== JSON.stringify(value),
  )
  const surplus = (['delimiter', 'encoding', 'format'] as const).filter(
    key => said[key] !== undefined && !(key in settings) && said[key] !== source[key],
  )
  if (changed.length === 0 && surplus.length === 0) return own
  for (const [key, value] of changed) document.setIn(['source', key], value)
  for (const key of surplus) document.setIn(['source', key], source[key])
  const isNew = start === end
  return `${own.slice(0, start)}${document.toString({ lineWidth: 0 })}${isNew ? '\n' : ''}${own.slice(end)}`
}

/** Where `source:` stands in a preset, up to what follows it; without one, where it belongs: before the body's comments. */
function sourceRange(text: string): readonly [number, number] {
  const block = /^source:.*\n(?:\s+\S.*\n)*/m.exec(text)
  if (block !== null) return [block.index, block.index + block[0].length]
  const record = /^record:.*\n\n?/m.exec(text)
  const at = record === null ? 0 : record.index + record[0].length
  return [at, at]
}

/** Where the draft will lie nobody knows, so the path of the schema would be wrong. */
const withoutSchemaLine = (text: string) => text.replace(/^# yaml-language-server:.*\n/, '')

/** The preset's own rule is left alone where it finds the same header. */
function headerWanted(said: unknown, found: unknown): { readonly header?: unknown } {
  const own = sourceSchema.safeParse(said).data?.header
  const wanted = sourceSchema.safeParse({ header: found ?? true }).data?.header
  if (wanted === undefined || JSON.stringify(own) === JSON.stringify(wanted)) return {}
  if (wanted.type === 'first_line' && own?.type !== 'columns') return {}
  return { header: found ?? true }
}
