import { distinctMark } from '../model/content-key.ts'
import { nearest } from '../model/did-you-mean.ts'
import type { ColumnFacts, LookupFacts, Omissions } from '../model/mapping-report.ts'
import type { Mapped, RowError } from '../model/outcome.ts'
import { type FileProblem, fileProblem, problem } from '../model/problem.ts'
import type { Body, Row } from '../model/row.ts'
import { kinds } from '../records/kinds.ts'
import type { LocatedYaml } from '../settings/located-yaml.ts'
import { type Header, keyColumns, type NamedColumns } from './columns.ts'
import {
  type ColumnSet,
  identifier,
  type NamedReader,
  type NamingColumns,
  type NamingExtent,
  rowDigests,
} from './identity.ts'
import type { Lookups } from './lookups/lookup.ts'
import type { LookupSpec, MappingDocument, ResultsSpec, StepSpec, TableSpec } from './schema.ts'
import { type Compiled, type Evaluate, scopeOf } from './scope.ts'
import { bodyErrors } from './validate.ts'

/** A test of a mapping, with the line on which it begins. */
export type MappingTest = NonNullable<MappingDocument['tests']>[number] & { readonly line: number }

interface MappingParts {
  /** SHA-256 of the file in hex. */
  readonly sha256: string
  readonly yaml: LocatedYaml
  readonly document: MappingDocument
  readonly columns: NamedColumns
  readonly lookups: Lookups
  /** The columns by which lookups find rows, and those with the depth of a row in a tree. */
  readonly refs: readonly NamedReader[]
  readonly indents: readonly NamedReader[]
  readonly key: readonly Evaluate[]
  /** Undefined if it selects all rows. */
  readonly where: ((row: Row) => boolean | RowError) | undefined
  readonly body: Compiled
}

/** A compiled mapping file. All its lookups must be provided before a row is mapped. */
export type Mapping = ReturnType<typeof mappingOf>

export function mappingOf(parts: MappingParts) {
  const { yaml, document, columns, lookups, key, body: compiled } = parts
  const kind = kinds[document.record]
  const noteDifferences = kind.noteRequestDifferences()
  const errorsOf = bodyErrors(kind.request(), document.allow_unknown_fields)
  const isDistinct = document.where?.distinct !== undefined
  const isOptional = document.optional_columns && !isDistinct
  const keyParts = keyColumns(document.where?.distinct ?? document.key ?? [], { yaml, columns, isOptional })
  const undecided = new WeakMap<Row, RowError>()
  const omissions = new Map<string, { values: number; omitted: number }>()
  const omissionsOf = (column: string) => {
    const counts = omissions.get(column) ?? { values: 0, omitted: 0 }
    omissions.set(column, counts)
    return counts
  }
  return {
    file: yaml.file,
    sha256: parts.sha256,
    record: document.record,
    useCreated: document.use_created,
    respelled: document.respelled,
    source: document.source,
    expect: document.expect,
    tests: (document.tests ?? []).map(
      (test, at): MappingTest => ({ ...test, line: yaml.lineOf(['tests', at]) }),
    ),
    lookupSpecs: document.lookups,
    columns,
    lookups,
    refs: parts.refs,
    indents: parts.indents,
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
    checkLookups(faultOf: (spec: StepSpec | ResultsSpec) => FileProblem | undefined): void {
      for (const [name, spec] of Object.entries(document.lookups)) {
        if (!('step' in spec || 'results' in spec)) continue
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
      omissions: [...omissions].map(([column, counts]): Omissions => ({ column, ...counts })),
      lookups: lookups.facts().map(facts => ({ ...facts, ...searchedBy(document.lookups[facts.name]) })),
    }),

    /** By default all columns of a row without a key name it. */
    identifier: (extent?: NamingExtent, columns: NamingColumns = { history: document.identity ?? {} }) =>
      identifier(key, parts.refs, extent, rowDigests(columns)),

    /** Selects rows by `where`. A row that nobody can decide about is selected, and has an error. */
    selects(row: Row): boolean {
      const result = parts.where?.(row) ?? true
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
      const { omittable, omitted } = scope.values
      if (!isTrial) {
        for (const column of omittable) omissionsOf(column).values += 1
        for (const { column } of omitted) if (column !== undefined) omissionsOf(column).omitted += 1
      }
      return omitted.length === 0 ? { body } : { body, omitted }
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
