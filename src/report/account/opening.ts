import type { Opening } from '../../journal/outcome.ts'
import { recordTypes } from '../../records/kinds.ts'
import { shortened } from './shown-text.ts'
import { textOf } from './told-line.ts'

const longest = 500

/** The line that opens a run, each part checked: others may have written into the file. */
export function toldOpening(line: object): Opening {
  const fields = line as Readonly<Record<string, unknown>>
  const text = (value: unknown) => shortened(textOf(value), longest)
  const texts = (value: unknown) => (Array.isArray(value) ? value.slice(0, longest).map(text) : [])
  return {
    run: textOf(fields.run),
    at: text(fields.at),
    rowlift: text(fields.rowlift),
    base_url: text(fields.base_url),
    organization_id: typeof fields.organization_id === 'number' ? fields.organization_id : 0,
    record: recordTypes.find(type => type === fields.record) ?? 'contact',
    mapping: text(fields.mapping),
    mapping_sha256: text(fields.mapping_sha256),
    key_columns: texts(fields.key_columns),
    use_created: typeof fields.use_created === 'boolean' ? fields.use_created : null,
    delivery: text(fields.delivery),
    sources: texts(fields.sources),
  }
}
