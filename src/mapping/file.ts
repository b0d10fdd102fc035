import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { z } from 'zod'
import { reasonOf, UsageError } from '../model/errors.ts'
import { fileProblem } from '../model/problem.ts'
import { kinds } from '../records/kinds.ts'
import { bodyChecker, checkShape, loosened } from './check-body.ts'
import { NamedColumns, type Workshop } from './columns.ts'
import { compileNode } from './compile-body.ts'
import type { NamedReader } from './identity.ts'
import type { KeyPart } from './key-columns.ts'
import { LocatedYaml } from './located-yaml.ts'
import { Lookups } from './lookups/lookup.ts'
import type { LookupSpec } from './lookups/specs.ts'
import { type Mapping, mappingOf } from './mapping.ts'
import { knownKeysAt, mappingSchema } from './schema.ts'
import type { Evaluate } from './scope.ts'

/**
 * Reads a mapping file and makes it ready; `name` is how it is called. Throws a UsageError that tells every fault with file,
 * line and column.
 */
export async function loadMapping(path: string, name = path): Promise<Mapping> {
  const bytes = await readFile(path).catch(error => {
    throw new UsageError('unreadable', { what: 'mapping file', path: name, reason: reasonOf(error) })
  })
  return compileMapping(name, bytes.toString(), createHash('sha256').update(bytes).digest('hex'))
}

/** Makes a mapping ready from its text. */
export function compileMapping(file: string, text: string, sha256: string): Mapping {
  const yaml = new LocatedYaml(file, text)
  const document = checkDocument(yaml)
  const columns = new NamedColumns(document.empty_values)
  const lookups = new Lookups()
  const workshop: Workshop = {
    yaml,
    columns,
    isOptional: document.optional_columns,
    lookups,
    lookupNames: Object.keys(document.lookups),
  }
  const { request } = kinds[document.record]
  const content = yaml.content as { key?: unknown; where?: object; body: object }

  checkShape(content.body, request, ['body'], yaml, document.allow_unknown_fields)
  const body = compileNode(content.body, '', ['body'], workshop)
  const key = (document.key ?? []).map((part, at) => keyReader(part, at, content.key, columns, document))
  const where = Object.entries(content.where ?? {}).map(([name, list]) => {
    const values = new Set([list].flat().map(value => String(value).trim()))
    return {
      read: columns.reader(name, ['where', name], document.optional_columns && values.has('')),
      values,
    }
  })
  const refs = readersIn('by', spec => ('by' in spec ? spec.by : undefined), document, columns)
  const indents = readersIn('indent', spec => ('indent' in spec ? spec.indent : undefined), document, columns)
  yaml.throwIfFaulty()
  const check = bodyChecker(document.allow_unknown_fields ? loosened(request) : request)
  return mappingOf({ yaml, sha256, document, columns, lookups, refs, indents, key, where, body, check })
}

/** A reader of the first of the columns that a row has; one that is named alone must be there, unless columns are optional. */
function keyReader(
  part: KeyPart,
  at: number,
  key: unknown,
  columns: NamedColumns,
  { optional_columns }: z.infer<typeof mappingSchema>,
): Evaluate {
  const path = Array.isArray(key) ? ['key', at] : ['key']
  const readers = part.map(name => columns.reader(name, path, optional_columns || part.length > 1))
  const [only] = readers
  if (only !== undefined && readers.length === 1) return only
  return scope => {
    for (const read of readers) {
      const value = read(scope)
      if (value !== undefined && value !== null) return value
    }
    return undefined
  }
}

/** The columns that lookups name in one of their parts, each once, with their readers. */
function readersIn(
  part: 'by' | 'indent',
  columnOf: (spec: LookupSpec) => string | undefined,
  { lookups, optional_columns }: z.infer<typeof mappingSchema>,
  columns: NamedColumns,
): NamedReader[] {
  const readers = new Map<string, NamedReader>()
  for (const [name, spec] of Object.entries(lookups)) {
    const column = columnOf(spec)
    if (column !== undefined)
      readers.set(column, { column, read: columns.reader(column, ['lookups', name, part], optional_columns) })
  }
  return [...readers.values()]
}

function checkDocument(yaml: LocatedYaml): z.infer<typeof mappingSchema> {
  const checked = mappingSchema.safeParse(yaml.content)
  if (!checked.success) yaml.faultsOf(checked.error, [], knownKeysAt)
  if (checked.data?.use_created !== undefined && !kinds[checked.data.record].findsSimilar)
    yaml.fault(['use_created'], fileProblem('use_created_not_known', { record: checked.data.record }), 'key')
  yaml.throwIfFaulty()
  if (!checked.success) throw checked.error
  return checked.data
}
