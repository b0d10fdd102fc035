// Rows become the bodies of calls. This file reads a mapping file and compiles it; `schema.ts` and `rule.ts` describe its content,
// `compile.ts` makes functions of its body, and the `Mapping` in mapping.ts is what others use.

import { createHash } from 'node:crypto'
import { fileProblem } from '../model/problem.ts'
import { readUserFile } from '../model/user-file.ts'
import { folded, present } from '../model/values.ts'
import { kinds } from '../records/kinds.ts'
import { type CompileContext, type KeyPart, NamedColumns } from './columns.ts'
import { compileNode } from './compile.ts'
import { keyText, type NamedReader } from './identity.ts'
import { LocatedYaml, plainWords } from './located-yaml.ts'
import { Lookups } from './lookups/lookup.ts'
import { Mapping } from './mapping.ts'
import { knownKeysAt, type MappingDocument, mappingSchema } from './schema.ts'
import type { Evaluate } from './scope.ts'
import { bodyValidator, checkBody, openSchema } from './validate.ts'
import { compileWhere } from './where.ts'

/** Reads and compiles a mapping file. Throws a UsageError with all faults, by `name`, line and column. */
export async function loadMapping(path: string, name = path): Promise<Mapping> {
  const bytes = await readUserFile('mapping file', path, name)
  return compileMapping(name, bytes.toString(), createHash('sha256').update(bytes).digest('hex'))
}

/** Compiles the text of a mapping file. Throws a UsageError. */
export function compileMapping(file: string, text: string, sha256: string): Mapping {
  const yaml = new LocatedYaml(file, text)
  const document = checkDocument(yaml)
  const { optional_columns: isOptional, allow_unknown_fields: isOpen } = document
  const columns = new NamedColumns(document.empty_values)
  const lookups = new Lookups()
  const lookupNames = Object.keys(document.lookups)
  const context: CompileContext = { yaml, columns, isOptional, lookups, lookupNames }
  const request = kinds[document.record].request()
  const content = yaml.content as { key?: unknown; body: object }

  checkBody(yaml, content.body, request, isOpen)
  const body = compileNode(content.body, '', ['body'], context)
  const { distinct, conditions = {} } = document.where ?? {}
  const key = distinct
    ? distinct.map(part =>
        foldedReader(keyReader(part, ['where', 'distinct'], { ...context, isOptional: false })),
      )
    : (document.key ?? []).map((part, at) =>
        keyReader(part, Array.isArray(content.key) ? ['key', at] : ['key'], context),
      )
  const where = compileWhere(conditions, distinct && key, context)
  const refs = lookupReaders('by', document, columns)
  const indents = lookupReaders('indent', document, columns)
  yaml.throwIfFaulty()
  const validate = bodyValidator(isOpen ? openSchema(request) : request)
  return new Mapping({ yaml, sha256, document, columns, lookups, refs, indents, key, where, body, validate })
}

/** A column without alternatives is required unless columns are optional. */
function keyReader(
  part: KeyPart,
  at: readonly (string | number)[],
  { columns, isOptional }: CompileContext,
): Evaluate {
  return part
    .map(name => columns.reader(name, at, isOptional || part.length > 1))
    .reduce((before, read) => scope => before(scope) ?? read(scope))
}

/** For `distinct`. */
const foldedReader =
  (read: Evaluate): Evaluate =>
  scope => {
    const value = present(read(scope))
    return value === undefined ? undefined : folded(keyText(value))
  }

/** The columns of lookups, each once, with their readers. */
function lookupReaders(
  part: 'by' | 'indent',
  { lookups, optional_columns }: MappingDocument,
  columns: NamedColumns,
): NamedReader[] {
  const readers = new Map<string, NamedReader>()
  for (const [name, spec] of Object.entries(lookups)) {
    const column: string | undefined = Reflect.get(spec, part)
    if (column !== undefined)
      readers.set(column, { column, read: columns.reader(column, ['lookups', name, part], optional_columns) })
  }
  return [...readers.values()]
}

function checkDocument(yaml: LocatedYaml): MappingDocument {
  const checked = mappingSchema.safeParse(yaml.content, plainWords)
  if (!checked.success) yaml.faultsOf(checked.error, [], knownKeysAt)
  if (checked.data?.use_created !== undefined && !kinds[checked.data.record].findsSimilar)
    yaml.fault(
      ['use_created'],
      fileProblem('use_created_not_supported', { record: checked.data.record }),
      'key',
    )
  yaml.throwIfFaulty()
  if (!checked.success) throw checked.error
  return checked.data
}
