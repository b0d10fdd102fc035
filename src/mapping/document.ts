import { createHash } from 'node:crypto'
import type { RowError } from '../model/outcome.ts'
import { fileProblem, isProblem, type Problem } from '../model/problem.ts'
import type { Row } from '../model/row.ts'
import { readUserFile } from '../model/user-file.ts'
import { folded, present, textOf } from '../model/values.ts'
import { kinds } from '../records/kinds.ts'
import { type DocumentPath, LocatedYaml, plainWords } from '../settings/located-yaml.ts'
import { type CompileContext, type KeyPart, type NamedColumns, namedColumns } from './columns.ts'
import { compileNode } from './compile.ts'
import { keyText, type NamedReader } from './identity.ts'
import { Lookups } from './lookups/lookup.ts'
import { type Mapping, mappingOf } from './mapping.ts'
import { compilePattern } from './pattern.ts'
import { type Conditions, knownKeysAt, type MappingDocument, mappingSchema } from './schema.ts'
import { type Evaluate, quoteValue, scopeOf } from './scope.ts'
import { checkBody } from './validate.ts'

/** Reads and compiles a mapping file. Throws a UsageError with all faults, by `name`, line and column. */
export async function loadMapping(path: string, name = path): Promise<Mapping> {
  const bytes = await readUserFile('mapping file', path, name)
  return compileMapping(name, bytes.toString(), createHash('sha256').update(bytes).digest('hex'))
}

/** Compiles the text of a mapping file to what makes bodies of rows. Throws a UsageError. */
export function compileMapping(file: string, text: string, sha256: string): Mapping {
  const yaml = new LocatedYaml(file, text)
  const document = checkDocument(yaml)
  const { optional_columns: isOptional } = document
  const columns = namedColumns(document.empty_values)
  const lookups = new Lookups()
  const lookupNames = Object.keys(document.lookups)
  const context: CompileContext = { yaml, columns, isOptional, lookups, lookupNames, path: '', at: ['body'] }
  const content = yaml.content as { key?: unknown; body: object }

  checkBody(yaml, content.body, kinds[document.record].request(), document.allow_unknown_fields)
  const body = compileNode(content.body, context)
  const { distinct, conditions = {} } = document.where ?? {}
  const key =
    distinct?.map(part => distinctReader(part, context)) ??
    (document.key ?? []).map((part, at) =>
      keyReader(part, Array.isArray(content.key) ? ['key', at] : ['key'], context),
    )
  const where = compileWhere(conditions, distinct && key, context)
  for (const [at, name] of (document.identity?.without ?? []).entries())
    columns.reader(name, ['identity', 'without', at], isOptional)
  const refs = lookupReaders('by', document, columns)
  const indents = lookupReaders('indent', document, columns)
  yaml.throwIfFaulty()
  return mappingOf({ yaml, sha256, document, columns, lookups, refs, indents, key, where, body })
}

/** A column without alternatives is required unless columns are optional. */
function keyReader(part: KeyPart, at: DocumentPath, { columns, isOptional }: CompileContext): Evaluate {
  return part
    .map(name => columns.reader(name, at, isOptional || part.length > 1))
    .reduce((before, read) => scope => before(scope) ?? read(scope))
}

function distinctReader(part: KeyPart, context: CompileContext): Evaluate {
  const read = keyReader(part, ['where', 'distinct'], { ...context, isOptional: false })
  return scope => {
    const value = present(read(scope))
    return value === undefined ? undefined : folded(keyText(value))
  }
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

/** Returns whether a row is imported, or why nobody knows. `distinct` reads columns of which one must be filled. */
function compileWhere(
  conditions: Readonly<Record<string, Conditions>>,
  distinct: readonly Evaluate[] | undefined,
  context: CompileContext,
): ((row: Row) => boolean | RowError) | undefined {
  const tests = Object.entries(conditions).map(([column, condition]) => {
    const holds = compileCondition(condition, column, context)
    const mayLack = context.isOptional && holds('') === true
    return { column, holds, read: context.columns.reader(column, ['where', column], mayLack) }
  })
  if (tests.length === 0 && distinct === undefined) return undefined
  return row => {
    const scope = scopeOf(row)
    if (distinct?.every(read => read(scope) === undefined)) return false
    for (const { column, read, holds } of tests) {
      const text = textOf(present(read(scope)) ?? '')
      const result = holds(isProblem(text) ? undefined : text)
      if (isProblem(result)) return { path: '', column, value: quoteValue(text), ...result }
      if (!result) return false
    }
    return true
  }
}

/** An object is no text: it is not empty, equals nothing and matches nothing. */
function compileCondition(
  { in: included, not, empty, matches }: Conditions,
  column: string,
  { yaml }: CompileContext,
): (text: string | undefined) => boolean | Problem {
  const pattern = matches && compilePattern(matches, fault => yaml.fault(['where', column, 'matches'], fault))
  const values = included && new Set<unknown>(included)
  const others = new Set<unknown>(not)
  return text => {
    if (values?.has(text) === false || others.has(text)) return false
    if (empty !== undefined && empty !== (text === '')) return false
    return !pattern || (text !== undefined && pattern.isIn(text))
  }
}
