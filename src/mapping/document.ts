import type { RowError } from '../model/outcome.ts'
import { fileProblem, isProblem, type Problem } from '../model/problem.ts'
import type { Row } from '../model/row.ts'
import { folded, present, textOf } from '../model/values.ts'
import { kinds } from '../records/kinds.ts'
import { type DocumentPath, type LocatedYaml, plainWords } from '../settings/located-yaml.ts'
import type { CompileContext, KeyPart, NamedColumns } from './columns.ts'
import { keyText, type NamedReader } from './identity.ts'
import { compilePattern } from './pattern.ts'
import { type Conditions, knownKeysAt, type MappingDocument, mappingSchema } from './schema.ts'
import { type Evaluate, quoteValue, scopeOf } from './scope.ts'

/** A column without alternatives is required unless columns are optional. */
export function keyReader(
  part: KeyPart,
  at: DocumentPath,
  { columns, isOptional }: CompileContext,
): Evaluate {
  return part
    .map(name => columns.reader(name, at, isOptional || part.length > 1))
    .reduce((before, read) => scope => before(scope) ?? read(scope))
}

export function distinctReader(part: KeyPart, context: CompileContext): Evaluate {
  const read = keyReader(part, ['where', 'distinct'], { ...context, isOptional: false })
  return scope => {
    const value = present(read(scope))
    return value === undefined ? undefined : folded(keyText(value))
  }
}

/** The columns of lookups, each once, with their readers. */
export function lookupReaders(
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

/** Throws a UsageError with all faults of the document. */
export function checkDocument(yaml: LocatedYaml): MappingDocument {
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

/** Returns whether a row is imported, or why nobody knows; undefined if all are. `distinct` reads columns of which one must be filled. */
export function compileWhere(
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
