import type { z } from 'zod'
import type { ColumnFacts } from '../model/mapping-report.ts'
import { type FileProblem, fileProblem, problem } from '../model/problem.ts'
import type { Body, Row, RowError, Waits } from '../model/row.ts'
import { present, textOf } from '../model/values.ts'
import type { RecordType } from '../records/kinds.ts'
import type { bodyChecker } from './check-body.ts'
import type { Header, NamedColumns } from './columns.ts'
import { type Identify, identifier, type NamedReader, type NamingExtent } from './identity.ts'
import { KeyColumns } from './key-columns.ts'
import { type LocatedYaml, nearest } from './located-yaml.ts'
import type { Lookups } from './lookups/lookup.ts'
import type { LookupSpec, ResultsSpec, StepSpec, TableSpec } from './lookups/specs.ts'
import { originsOf } from './origins.ts'
import type { mappingSchema } from './schema.ts'
import { type Compiled, type Evaluate, scopeOf } from './scope.ts'

/** A row's body, what is wrong with the row, or the rows that must have their end first. */
export type Mapped =
  | { readonly body: Body }
  | { readonly errors: readonly RowError[] }
  | { readonly waits: readonly Waits[] }

/** A row, what is expected of it, and on which line of the file that stands. */
export type MappingTest = NonNullable<z.infer<typeof mappingSchema>['tests']>[number] & {
  readonly line: number
}

/** A mapping file made ready (DESIGN 2). */
export interface Mapping {
  readonly file: string
  /** Of the file's bytes, in hex. */
  readonly sha256: string
  readonly record: RecordType
  readonly useCreated: boolean | undefined
  /** The columns of `key:` that name the rows of the sources; empty without one. */
  readonly keyColumns: readonly string[]
  readonly source: z.infer<typeof mappingSchema>['source']
  /** What each lookup is by its name; all are to be provided before a row is mapped. */
  readonly lookupSpecs: Readonly<Record<string, LookupSpec>>
  readonly lookups: Lookups
  /** The columns by which rows of the import may be named, and those that tell how deep they stand in a tree. */
  readonly refs: readonly NamedReader[]
  readonly indents: readonly NamedReader[]
  /** Throws a UsageError that names every column of a lookup that its table lacks. */
  checkTable(lookup: string, spec: TableSpec, columns: readonly string[], table: string): void
  /** Throws a UsageError that tells, where it stands, what is wrong with each lookup that names a step or a result log. */
  checkLookups(faultOf: (spec: StepSpec | ResultsSpec) => FileProblem | undefined): void
  /** Rows and what is expected of them. */
  readonly tests: readonly MappingTest[]
  /** Throws a UsageError that names every column that the header of a source lacks. */
  checkColumns(header: readonly string[], source: string): void
  /**
   * The headers of all sources, each of which was checked; undefined for one of NDJSON. Throws a UsageError where they
   * call a column differently.
   */
  settleColumns(headers: readonly Header[]): void
  /** What is known of the columns so far. */
  columnFacts(headers: readonly Header[]): ColumnFacts
  /** The naming of the rows of one import, as far as it is needed. */
  identifier(extent?: NamingExtent): Identify
  /** Whether `where` lets the row through. */
  selects(row: Row): boolean
  map(row: Row): Mapped
}

/** The parts of a mapping file, each made ready. */
export interface MappingParts {
  readonly yaml: LocatedYaml
  readonly sha256: string
  readonly document: z.infer<typeof mappingSchema>
  readonly columns: NamedColumns
  readonly lookups: Lookups
  readonly refs: readonly NamedReader[]
  readonly indents: readonly NamedReader[]
  readonly key: readonly Evaluate[]
  readonly where: readonly { readonly read: Evaluate; readonly values: ReadonlySet<string> }[]
  readonly body: Compiled
  readonly check: ReturnType<typeof bodyChecker>
}

/** Puts a mapping together from its parts. */
export function mappingOf({
  yaml,
  sha256,
  document,
  columns,
  lookups,
  refs,
  indents,
  key,
  where,
  body,
  check,
}: MappingParts): Mapping {
  const keyColumns = new KeyColumns(document.key ?? [])
  return {
    file: yaml.file,
    sha256,
    record: document.record,
    useCreated: document.use_created,
    get keyColumns() {
      return keyColumns.names
    },
    source: document.source,
    tests: (document.tests ?? []).map((test, at) => ({ ...test, line: yaml.lineOf(['tests', at]) })),
    settleColumns(headers) {
      for (const { name, called } of columns.settle(headers))
        yaml.fault([], fileProblem('called_differently', { name, called }))
      yaml.throwIfFaulty()
    },
    columnFacts: headers => ({
      unseen: headers.includes(undefined) ? columns.unseen() : [],
      unused: columns.unnamedIn(headers.flatMap(header => header ?? [])),
      missingKey: keyColumns.missing,
    }),
    identifier: extent => identifier(key, refs, extent),
    lookups,
    refs,
    indents,
    lookupSpecs: document.lookups,
    checkTable(lookup, spec, header, table) {
      for (const part of ['key', 'value'] as const)
        if (!header.includes(spec[part]))
          yaml.fault(
            ['lookups', lookup, part],
            fileProblem('unknown_column', {
              name: spec[part],
              suggestion: nearest(spec[part], header),
              source: table,
            }),
          )
      yaml.throwIfFaulty()
    },
    checkLookups(faultOf) {
      for (const [name, spec] of Object.entries(document.lookups)) {
        if (!('step' in spec || 'results' in spec)) continue
        const fault = faultOf(spec)
        if (fault !== undefined) yaml.fault(['lookups', name, 'step' in spec ? 'step' : 'results'], fault)
      }
      yaml.throwIfFaulty()
    },
    checkColumns(header, source) {
      for (const { name, at } of columns.missingFrom(header))
        for (const path of at)
          yaml.fault(path, fileProblem('unknown_column', { name, suggestion: nearest(name, header), source }))
      if (document.optional_columns && !columns.anyIn(header))
        yaml.fault([], fileProblem('strange_header', { header, source }))
      keyColumns.look(header, source, { yaml, columns, isOptional: document.optional_columns })
      yaml.throwIfFaulty()
    },
    selects: row =>
      where.every(({ read, values }) => values.has(String(textOf(present(read(scopeOf(row, []))) ?? '')))),
    map(row) {
      const errors: RowError[] = []
      const scope = scopeOf(row, errors)
      lookups.serve(row)
      const made = body.evaluate(scope) as Body | undefined
      if (scope.waits.length > 0) return { waits: scope.waits }
      if (errors.length > 0) return { errors }
      if (made === undefined) return { errors: [{ path: '', ...problem('nothing') }] }
      const faults = check(made, () => originsOf(body, row))
      return faults.length > 0 ? { errors: faults } : { body: made }
    },
  }
}
