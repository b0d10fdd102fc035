// The folder of worksheets: small tables of what the mapping does not know yet. A person fills them in, and the next run reads them.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { rowsOfAll } from '../../input/open.ts'
import { cannotWrite, reasonOf, UsageError } from '../../model/errors.ts'
import { present } from '../../model/values.ts'
import { counted } from '../../output/text.ts'
import { describeError } from '../../output/words.ts'
import { placeOf } from '../../run/file-conflicts.ts'
import { readResults } from '../../run/lookups.ts'
import type { Output, OutputPorts } from '../../run/output.ts'
import { mappingPath, resolveBeside } from '../../run/paths.ts'
import type { PreparedImport } from '../../run/prepared-import.ts'
import { resolveLink } from '../../store/files/result-log.ts'
import { missingTexts, mostTexts, type Worksheet } from './missing-texts.ts'
import { addTexts } from './sheet-file.ts'

/** Adds what the rows of all imports lack to the worksheets of a folder, at their end. */
export function worksheetsOutput(path: string, { onWritten }: OutputPorts): Output {
  const sheets: (readonly [path: string, Worksheet, PreparedImport])[] = []
  const role = 'folder of worksheets'
  return {
    path,
    role,
    async check() {
      await mkdir(path, { recursive: true }).catch(error => {
        throw new UsageError('cannot_write_artifact', { path, role, reason: reasonOf(error) })
      })
    },
    sinksOf({ prepared }) {
      const { mapping, options } = prepared
      for (const [name, sheet] of missingTexts(mapping, options.sourceSettings.delimiter))
        sheets.push([join(path, name), sheet, prepared])
      return []
    },
    unwritten: error => describeError(error),
    async write() {
      const faults: unknown[] = []
      for (const sheet of sheets) {
        const words = await writeSheet(...sheet).catch(error => void faults.push(error))
        if (words) onWritten(words)
      }
      if (faults.length > 0) throw faults[0]
    },
  }
}

/** Returns what there is to fill in, if anything is new. Throws a UsageError, a SourceError or a LogError. */
async function writeSheet(path: string, sheet: Worksheet, prepared: PreparedImport) {
  const { file, lookup = '', texts } = sheet
  const { settings, options } = prepared
  const read = file && besideMapping(settings, file)
  const [place = '', ...sources] = await Promise.all([path, ...options.sources].map(placeOf))
  const isRead = read !== undefined && (await placeOf(read)) === place
  if (sources.includes(place) || (!isRead && texts.size === 0)) return undefined
  const adding = addTexts(await resolveLink(path), sheet, () => namesOf(lookup, prepared))
  const count = await adding.catch(error => Promise.reject(cannotWrite(path, error)))
  if (count === 0) return undefined
  const more = texts.size < mostTexts ? '' : '; there may be more, which come once these are filled in'
  const rule = `name it as map_file, with otherwise: keep, beside lookup: ${lookup}`
  const unread = file === undefined ? rule : `the mapping reads ${file}: put the answers there`
  return `${path}: ${counted(count, 'text')} to fill in${more}${isRead ? '' : `; ${unread}`}`
}

const mostNames = 5_000

/**
 * The first names that a lookup finds in its result log, or in the rows of files; without those that another spreadsheet would split
 * before a formula. Throws a UsageError or a SourceError.
 */
async function namesOf(lookup: string, { mapping, settings, options, sources }: PreparedImport) {
  const names = new Set<string>()
  const add = (name: unknown) => {
    const text = String(present(name) ?? '')
    if (names.size < mostNames && !/[,;\t]["'\s]*[=+\-@]/.test(text)) names.add(text)
  }
  const { [lookup]: spec } = mapping.lookupSpecs
  if (spec === undefined) return []
  if ('results' in spec)
    await readResults(besideMapping(settings, spec.results), lookup, options, { add, remove() {} })
  if ('by' in spec && sources.every(({ size }) => size !== undefined))
    for await (const rows of rowsOfAll(sources, () => {})) for (const row of rows) add(row.value(spec.by))
  return [...names]
}

const besideMapping = ({ mapping = '.' }: PreparedImport['settings'], file: string) =>
  resolveBeside(mappingPath(mapping), file)
