import { distinctMark } from '../model/content-key.ts'
import { nearest } from '../model/did-you-mean.ts'
import type { ColumnFacts, LookupFacts, Omissions } from '../model/mapping-report.ts'
import type { Mapped, RowError } from '../model/outcome.ts'
import { type FileProblem, fileProblem, problem } from '../model/problem.ts'
import type { Body, Row } from '../model/row.ts'
import type { NoteDifferences } from '../records/checks.ts'
import type { RecordType } from '../records/kinds.ts'
import type { LocatedYaml } from '../settings/located-yaml.ts'
import type { SettledColumns } from './column-history.ts'
import { type Header, KeyColumns, type NamedColumns } from './columns.ts'
import {
  type ColumnSet,
  type Identify,
  identifier,
  type NamedReader,
  type NamingExtent,
  rowDigests,
} from './identity.ts'
import type { Lookups } from './lookups/lookup.ts'
import type { LookupSpec, MappingDocument, ResultsSpec, StepSpec, TableSpec } from './schema.ts'
import { type Compiled, type Evaluate, type Scope, scopeOf } from './scope.ts'
import type { BodyErrors } from './validate.ts'

/** A test of a mapping, with the line on which it begins. */
export type MappingTest = NonNullable<MappingDocument['tests']>[number] & { readonly line: number }

interface MappingParts extends Pick<Mapping, 'sha256' | 'columns' | 'lookups' | 'refs' | 'indents'> {
  readonly yaml: LocatedYaml
  readonly document: MappingDocument
  readonly key: readonly Evaluate[]
  /** Undefined if it selects all rows. */
  readonly where: ((row: Row) => boolean | RowError) | undefined
  readonly body: Compiled
  readonly noteDifferences: NoteDifferences
  readonly errorsOf: BodyErrors
}

/** A compiled mapping file. All its lookups must be provided before a row is mapped. */
export class Mapping {
  readonly file: string
  /** SHA-256 of the file in hex. */
  readonly sha256: string
  readonly record: RecordType
  readonly useCreated: boolean | undefined
  readonly respelled: MappingDocument['respelled']
  readonly source: MappingDocument['source']
  readonly expect: MappingDocument['expect']
  readonly tests: readonly MappingTest[]
  readonly lookupSpecs: Readonly<Record<string, LookupSpec>>
  readonly columns: NamedColumns
  readonly lookups: Lookups
  /** The columns by which lookups find rows, and those with the depth of a row in a tree. */
  readonly refs: readonly NamedReader[]
  readonly indents: readonly NamedReader[]
  readonly #parts: MappingParts
  readonly #looksUp: boolean
  readonly #keyColumns: KeyColumns
  readonly #undecided = new WeakMap<Row, RowError>()
  readonly #omissions = new Map<string, { values: number; omitted: number }>()

  constructor(parts: MappingParts) {
    const { yaml, document } = parts
    this.file = yaml.file
    this.sha256 = parts.sha256
    this.record = document.record
    this.useCreated = document.use_created
    this.respelled = document.respelled
    this.source = document.source
    this.expect = document.expect
    this.tests = (document.tests ?? []).map((test, at) => ({ ...test, line: yaml.lineOf(['tests', at]) }))
    this.lookupSpecs = document.lookups
    this.#looksUp = Object.keys(document.lookups).length > 0
    this.columns = parts.columns
    this.lookups = parts.lookups
    this.refs = parts.refs
    this.indents = parts.indents
    this.#parts = parts
    this.#keyColumns = new KeyColumns(document.where?.distinct ?? document.key ?? [])
  }

  /** The columns of the key, none if content identifies the rows. Those of `distinct` make other keys of the same column. */
  get keyColumns(): readonly string[] {
    const { names } = this.#keyColumns
    return this.isDistinct ? names.map(name => name + distinctMark) : names
  }

  /** Is set if rows whose key another row has are left out. */
  get isDistinct(): boolean {
    return this.#parts.document.where?.distinct !== undefined
  }

  /** Throws a UsageError that names every column of a lookup that its table lacks. */
  checkTable(lookup: string, spec: TableSpec, header: readonly string[], table: string): void {
    const { yaml } = this.#parts
    for (const part of ['key', 'value'] as const)
      if (!header.includes(spec[part]))
        yaml.fault(['lookups', lookup, part], unknownColumn(spec[part], header, table))
    yaml.throwIfFaulty()
  }

  /** Throws a UsageError with the faults of lookups in steps and result logs. */
  checkLookups(faultOf: (spec: StepSpec | ResultsSpec) => FileProblem | undefined): void {
    const { yaml } = this.#parts
    for (const [name, spec] of Object.entries(this.lookupSpecs)) {
      if (!('step' in spec || 'results' in spec)) continue
      const fault = faultOf(spec)
      if (fault !== undefined) yaml.fault(['lookups', name, 'step' in spec ? 'step' : 'results'], fault)
    }
    yaml.throwIfFaulty()
  }

  /** Throws a UsageError that names every column that the header lacks. */
  checkColumns(header: readonly string[], source: string): void {
    const { yaml, columns, document } = this.#parts
    const missing = columns.missingFrom(header)
    const names = missing.map(({ name }) => name)
    const areMost = names.length > 2 && names.length * 2 > columns.missingFrom([]).length
    if (areMost) yaml.fault([], fileProblem('missing_columns', { missing: names, header, source }))
    else
      for (const { name, at } of missing)
        for (const path of at) yaml.fault(path, unknownColumn(name, header, source))
    if (document.optional_columns && !areMost && columns.countIn(header) === 0)
      yaml.fault([], fileProblem('no_known_column', { header, source }))
    const isOptional = document.optional_columns && !this.isDistinct
    this.#keyColumns.choose(header, source, { yaml, columns, isOptional })
    yaml.throwIfFaulty()
  }

  /** Sets the headers of all sources. Throws a UsageError if they have different names for a column. */
  settleColumns(headers: readonly Header[]): void {
    const { yaml } = this.#parts
    for (const { name, called } of this.columns.settle(headers))
      yaml.fault([], fileProblem('column_names_differ', { name, called }))
    yaml.throwIfFaulty()
  }

  columnFacts(headers: readonly Header[]): ColumnFacts {
    return {
      unseen: headers.includes(undefined) ? this.columns.unseen() : [],
      unused: this.columns.unnamedIn(headers.flatMap(header => header ?? [])),
      missingKey: this.#keyColumns.missing,
      omissions: [...this.#omissions].map(([column, counts]): Omissions => ({ column, ...counts })),
      lookups: this.lookups.facts().map(facts => ({ ...facts, ...searchedBy(this.lookupSpecs[facts.name]) })),
    }
  }

  /** The columns that are no part of a row's identity. */
  get withoutColumns(): ColumnSet {
    return new Set(this.#parts.document.identity?.without)
  }

  /** By default all columns of a row without a key name it. */
  identifier(extent?: NamingExtent, columns?: Pick<SettledColumns, 'columnsOf' | 'history'>): Identify {
    const { columnsOf, history = {} } = columns ?? {}
    const digestsOf = rowDigests(columnsOf, { ...history, without: this.withoutColumns })
    return identifier(this.#parts.key, this.refs, extent, digestsOf)
  }

  /** Selects rows by `where`. A row that nobody can decide about is selected, and has an error. */
  selects(row: Row): boolean {
    const result = this.#parts.where?.(row) ?? true
    if (typeof result === 'boolean') return result
    this.#undecided.set(row, result)
    return true
  }

  /** Maps a row to a body. A trial does not count what it looks up and leaves out. */
  map(row: Row, isTrial = false): Mapped {
    const { body: compiled, key, noteDifferences, errorsOf } = this.#parts
    const undecided = this.#undecided.get(row)
    if (undecided !== undefined) return { errors: [undecided] }
    if (row.isHeader) return { errors: [{ path: '', ...problem('header_again') }] }
    const scope = scopeOf(row)
    if (this.#looksUp) this.lookups.setRow(row)
    for (const read of key) read(scope) // notes the errors of its cells
    const body = compiled.evaluate(scope) as Body | undefined
    if (scope.waits.length > 0) return { waitsOn: scope.waits, partial: body }
    if (this.#looksUp && !isTrial) this.lookups.countRow()
    const errorCells = scope.errors.filter(({ code }) => code === 'error_cell') // others may follow from them
    if (errorCells.length > 0) return { errors: errorCells }
    if (scope.errors.length > 0) return { errors: scope.errors }
    if (body === undefined) return { errors: [{ path: '', ...problem('empty_body') }] }
    const differences: string[] = []
    noteDifferences(body, differences)
    const errors = differences.length > 0 ? errorsOf(body, compiled, row) : []
    if (errors.length > 0) return { errors }
    if (!isTrial) this.#countOmissions(scope.values)
    const { omitted } = scope.values
    return omitted.length === 0 ? { body } : { body, omitted }
  }

  #countOmissions({ omittable, omitted }: Scope['values']): void {
    for (const column of omittable) this.#omissionsOf(column).values += 1
    for (const { column } of omitted) if (column !== undefined) this.#omissionsOf(column).omitted += 1
  }

  #omissionsOf(column: string) {
    const counts = this.#omissions.get(column) ?? { values: 0, omitted: 0 }
    this.#omissions.set(column, counts)
    return counts
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
