import { createHash } from 'node:crypto'
import { distinctMark } from '../model/content-key.ts'
import { nearest } from '../model/did-you-mean.ts'
import type { ColumnFacts, Fallbacks, LookupFacts } from '../model/mapping-report.ts'
import type { Mapped, RowError } from '../model/outcome.ts'
import { fileInside } from '../model/package.ts'
import { type FileProblem, fileProblem, problem } from '../model/problem.ts'
import type { Body, Row } from '../model/row.ts'
import { readUserFile } from '../model/user-file.ts'
import { kinds } from '../records/kinds.ts'
import { LocatedYaml } from '../settings/located-yaml.ts'
import { type CompileContext, type Header, keyColumns, namedColumns } from './columns.ts'
import { compileNode } from './compile.ts'
import { checkDocument, compileWhere, distinctReader, keyReader, lookupReaders } from './document.ts'
import { type ColumnSet, identifier, type NamingColumns, type NamingExtent, rowDigests } from './identity.ts'
import { Lookups } from './lookups/lookup.ts'
import { openQuestions } from './open-questions.ts'
import type { LookupSpec, MappingDocument, TableSpec } from './schema.ts'
import { mapTables } from './schema.ts'
import { scopeOf } from './scope.ts'
import { bodyErrors, checkBody } from './validate.ts'

/** A test of a mapping, with the line on which it begins. */
export type MappingTest = NonNullable<MappingDocument['tests']>[number] & { readonly line: number }

/** A compiled mapping file. All its lookups must be provided before a row is mapped. */
export type Mapping = ReturnType<typeof compileMapping>

/** Reads and compiles a mapping file. Throws a UsageError with all faults, by `name`, line and column. */
export async function loadMapping(path: string, name = path): Promise<Mapping> {
  const bytes = fileInside(path) ?? (await readUserFile('mapping file', path, name))
  return compileMapping(name, bytes.toString(), createHash('sha256').update(bytes).digest('hex'))
}

/** Compiles the text of a mapping file, whose SHA-256 is given in hex, to what makes bodies of rows. Throws a UsageError. */
export function compileMapping(file: string, text: string, sha256: string) {
  const yaml = new LocatedYaml(file, text)
  const document = checkDocument(yaml)
  const { optional_columns: isOptional } = document
  const columns = namedColumns(document.empty_values)
  const lookups = new Lookups()
  const lookupNames = Object.keys(document.lookups)
  const context: CompileContext = { yaml, columns, isOptional, lookups, lookupNames, path: '', at: ['body'] }
  const content = yaml.content as { key?: unknown; body: object }
  const kind = kinds[document.record]

  checkBody(yaml, content.body, kind.request(), document.allow_unknown_fields)
  const compiled = compileNode(content.body, context)
  const { distinct, conditions = {} } = document.where ?? {}
  const key =
    distinct?.map(part => distinctReader(part, context)) ??
    (document.key ?? []).map((part, at) =>
      keyReader(part, Array.isArray(content.key) ? ['key', at] : ['key'], context),
    )
  const where = compileWhere(conditions, distinct && key, context)
  for (const [at, name] of (document.identity?.without ?? []).entries())
    columns.reader(name, ['identity', 'without', at], true) // it may be gone
  /** The columns by which lookups find rows, and those with the depth of a row in a tree. */
  const refs = lookupReaders('by', document, columns)
  const indents = lookupReaders('indent', document, columns)
  yaml.throwIfFaulty()

  const noteDifferences = kind.noteRequestDifferences()
  const errorsOf = bodyErrors(kind.request(), document.allow_unknown_fields)
  const isDistinct = distinct !== undefined
  const mayLackKey = isOptional && !isDistinct
  const keyParts = keyColumns(distinct ?? document.key ?? [], { yaml, columns, isOptional: mayLackKey })
  const undecided = new WeakMap<Row, RowError>()
  const fallbacks = new Map<string, { values: number; omitted: number; kept: number }>()
  const fallbacksOf = (column: string) => {
    const counts = fallbacks.get(column) ?? { values: 0, omitted: 0, kept: 0 }
    fallbacks.set(column, counts)
    return counts
  }
  return {
    file,
    sha256,
    record: document.record,
    body: content.body,
    useCreated: document.use_created,
    respelled: document.respelled,
    source: document.source,
    expect: document.expect,
    openQuestions: openQuestions(file, text),
    tests: (document.tests ?? []).map(
      (test, at): MappingTest => ({ ...test, line: yaml.lineOf(['tests', at]) }),
    ),
    lookupSpecs: { ...mapTables(lookups.mapFiles.keys()), ...document.lookups },
    columns,
    lookups,
    refs,
    indents,
    /** Is set if rows whose key another row has are left out. */
    isDistinct,
    /** The columns that are no part of a row's identity. */
    withoutColumns: new Set(document.identity?.without) as ColumnSet,

    /** The columns of the key, none if content identifies the rows. Those of `distinct` make other keys of the same column. */
    get keyColumns(): readonly string[] {
      return isDistinct ? keyParts.names().map(name => name + distinctMark) : keyParts.names()
    },

    /** Throws a UsageError that names every column of a lookup that its table lacks. */
    checkTable(lookup: string, spec: TableSpec, header: readonly string[], table: string): void {
      for (const part of ['key', 'value'] as const)
        if (!header.includes(spec[part]))
          yaml.fault(['lookups', lookup, part], unknownColumn(spec[part], header, table))
      yaml.throwIfFaulty()
    },

    /** Throws a UsageError with the faults of lookups in steps and result logs. */
    checkLookups(faultOf: (spec: LookupSpec) => FileProblem | undefined): void {
      for (const [name, spec] of Object.entries(document.lookups)) {
        const fault = faultOf(spec)
        if (fault !== undefined) yaml.fault(['lookups', name, 'step' in spec ? 'step' : 'results'], fault)
      }
      yaml.throwIfFaulty()
    },

    /** Throws a UsageError that names every column that the header lacks. */
    checkColumns(header: readonly string[], source: string): void {
      const missing = columns.missingFrom(header)
      const names = missing.map(({ name }) => name)
      const areMost = names.length > 2 && names.length * 2 > columns.missingFrom([]).length
      if (areMost) yaml.fault([], fileProblem('missing_columns', { missing: names, header, source }))
      else
        for (const { name, at } of missing)
          for (const path of at) yaml.fault(path, unknownColumn(name, header, source))
      if (document.optional_columns && !areMost && columns.countIn(header) === 0)
        yaml.fault([], fileProblem('no_known_column', { header, source }))
      keyParts.choose(header, source)
      yaml.throwIfFaulty()
    },

    /** Sets the headers of all sources. Throws a UsageError if they have different names for a column. */
    settleColumns(headers: readonly Header[]): void {
      for (const { name, called } of columns.settle(headers))
        yaml.fault([], fileProblem('column_names_differ', { name, called }))
      yaml.throwIfFaulty()
    },

    columnFacts: (headers: readonly Header[]): ColumnFacts => ({
      unseen: headers.includes(undefined) ? columns.unseen() : [],
      unused: columns.unnamedIn(headers.flatMap(header => header ?? [])),
      missingKey: keyParts.missing(),
      fallbacks: [...fallbacks].map(([column, counts]): Fallbacks => ({ column, ...counts })),
      lookups: lookups.facts().map(facts => ({ ...facts, ...searchedBy(document.lookups[facts.name]) })),
    }),

    /** By default all columns of a row without a key name it. */
    identifier: (extent?: NamingExtent, columns: NamingColumns = { history: document.identity ?? {} }) =>
      identifier(key, refs, extent, rowDigests(columns)),

    /** Selects rows by `where`. A row that nobody can decide about is selected, and has an error. */
    selects(row: Row): boolean {
      const result = where?.(row) ?? true
      if (typeof result === 'boolean') return result
      undecided.set(row, result)
      return true
    },

    /** Maps a row to a body. A trial does not count what it looks up and leaves out. */
    map(row: Row, isTrial = false): Mapped {
      const error = undecided.get(row)
      if (error !== undefined) return { errors: [error] }
      if (row.isHeader) return { errors: [{ path: '', ...problem('header_again') }] }
      const scope = scopeOf(row)
      lookups.setRow(row)
      for (const read of key) read(scope) // notes the errors of its cells
      const body = compiled.evaluate(scope) as Body | undefined
      if (scope.waits.length > 0) return { waitsOn: scope.waits, partial: body }
      if (!isTrial) lookups.countRow()
      const errorCells = scope.errors.filter(({ code }) => code === 'error_cell') // others may follow from them
      if (errorCells.length > 0) return { errors: errorCells }
      if (scope.errors.length > 0) return { errors: scope.errors }
      if (body === undefined) return { errors: [{ path: '', ...problem('empty_body') }] }
      const differences: string[] = []
      noteDifferences(body, differences)
      const errors = differences.length > 0 ? errorsOf(body, compiled, row) : []
      if (errors.length > 0) return { errors }
      const { withFallback, omitted, kept } = scope.values
      if (!isTrial) {
        for (const column of withFallback) fallbacksOf(column).values += 1
        for (const { column } of omitted) if (column !== undefined) fallbacksOf(column).omitted += 1
        for (const { column } of kept) if (column !== undefined) fallbacksOf(column).kept += 1
      }
      if (omitted.length + kept.length === 0) return { body }
      return { body, ...(omitted.length > 0 && { omitted }), ...(kept.length > 0 && { kept }) }
    },
  }
}

function searchedBy(spec: LookupSpec | undefined): Pick<LookupFacts, 'table' | 'column'> {
  if (spec === undefined || 'indent' in spec) return {}
  if ('by' in spec) return { column: spec.by }
  if ('file' in spec) return { table: spec.file ?? `the list ${spec.source.rows}`, column: spec.key }
  return { table: 'step' in spec ? `the step ${spec.step}` : spec.results }
}

const unknownColumn = (name: string, header: readonly string[], source: string) =>
  fileProblem('unknown_column', { name, suggestion: nearest(name, header.filter(isWhole)), source })

/** Excludes columns whose letters were lost, and headers with another delimiter. */
const isWhole = (column: string) => !/[\ufffd;\t|]/.test(column)
