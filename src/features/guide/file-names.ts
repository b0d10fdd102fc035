import { join, parse } from 'node:path'
import { formatFor } from '../../input/source.ts'

export type FileNames = ReturnType<typeof namesOf>

/** The paths of the files that belong to a source, as the commands name them by default. Those of practice are others. */
export function namesOf(folder: string, source: string, mapping: string, practice: boolean) {
  const at = (name: string) => join(folder, name)
  const { name } = parse(mapping)
  const base = name + (practice ? '.practice' : '')
  const rows = /\.as-\w+$/.test(name) ? name : source // of a second import of the same rows
  const format = formatFor(source, {})
  const form = format === 'csv' || format === 'xlsx' ? 'csv' : 'ndjson'
  return {
    folder,
    source: at(source),
    mapping: at(mapping),
    log: at(`${base}.results.ndjson`),
    report: at(`${base}.results.report.html`),
    changes: at(`${base}.changes.csv`),
    rejects: at(`${rows}${practice ? '.practice' : ''}.rejects.${form}`),
    corrected: at(`${rows}.corrected.${form}`),
    approval: at(`${base}.approval.json`),
    agreed: at(`${base}.approval.agreed.json`),
  }
}
