import { join, parse } from 'node:path'
import { formatFor, unpackedName } from '../../input/source.ts'

/** The name of the mapping beside a source. */
export const mappingOf = (source: string): string => `${parse(unpackedName(source)).name}.yaml`

export type FileNames = ReturnType<typeof namesOf>

/** The paths of the files that belong to a source, as the commands name them by default. Those of practice are others. */
export function namesOf(folder: string, source: string, practice: boolean) {
  const at = (name: string) => join(folder, name)
  const base = parse(mappingOf(source)).name + (practice ? '.practice' : '')
  const format = formatFor(source, {})
  const form = format === 'csv' || format === 'xlsx' ? 'csv' : 'ndjson'
  return {
    source: at(source),
    mapping: at(mappingOf(source)),
    log: at(`${base}.results.ndjson`),
    report: at(`${base}.results.report.html`),
    changes: at(`${base}.changes.csv`),
    rejects: at(`${source}${practice ? '.practice' : ''}.rejects.${form}`),
    corrected: at(`${source}.corrected.${form}`),
    approval: at(`${base}.approval.json`),
    agreed: at(`${base}.approval.agreed.json`),
  }
}
