import { isReservedColumn } from '../model/content-key.ts'
import { fileProblem, problem } from '../model/problem.ts'
import { atPath } from '../model/values.ts'
import type { DocumentPath, LocatedYaml } from '../settings/located-yaml.ts'
import type { Lookups } from './lookups/lookup.ts'
import type { Rule } from './rule.ts'
import { type Evaluate, join, type Scope } from './scope.ts'

/** What spreadsheets export in place of a value, in English, German, French, Spanish, Italian, Portuguese and Dutch. */
const errorTexts = new Set(
  `#N/A #REF! #VALUE! #NAME? #DIV/0! #NUM! #NULL! #SPILL! #CALC! #FIELD! #BLOCKED! #UNKNOWN! #CONNECT! #EXTERNAL! #BUSY! #PYTHON!
  #TIMEOUT! #ERROR! #GETTING_DATA #NV #BEZUG! #WERT! #ZAHL! #ÜBERLAUF! #KALK! #FELD! #BLOCKIERT! #UNBEKANNT! #VERBINDEN! #DATEN_ABRUFEN
  #VALEUR! #NOM? #NOMBRE! #NUL! #PROPAGATION! #CALCUL! #CHAMP! #BLOQUE! #BLOQUÉ! #INCONNU! #CONNEXION! #CHARGEMENT_DONNEES
  #OBTENTION_DONNEES #N/D #¡REF! #¡VALOR! #¿NOMBRE? #¡DIV/0! #¡NUM! #¡NULO! #¡DESBORDAMIENTO! #¡CALC! #CAMPO! #¡CAMPO! #BLOQUEADO!
  #¡BLOQUEADO! #DESCONOCIDO! #¡DESCONOCIDO! #CONECTAR! #¡CONECTAR! #OBTENIENDO_DATOS #RIF! #VALORE! #NOME? #NULLO! #VALOR! #NÚM! #NULO!
  #DESPEJAR! #N/B #VERW! #WAARDE! #NAAM? #DEEL/0! #GETAL! #LEEG!`.split(/\s+/),
)
const numberSign = 35

/** The error text that a cell is, or that is in its list. Most cells begin with a letter or a digit, and need no look. */
function errorTextIn(value: unknown): string | undefined {
  if (Array.isArray(value)) return value.find(item => errorTextIn(item) !== undefined)
  if (typeof value !== 'string' || !(value.charCodeAt(0) <= numberSign)) return undefined
  const text = value.trim()
  return errorTexts.has(text.toUpperCase()) ? text : undefined
}

/** The apostrophe that exports put before a sign, so that no program takes the cell for a formula; or a formula that is a text. */
const guard = /^'(?=[=+@-][^']*$)|^="(?=[^&]*"$)|"$(?<=^="[^&]*")/g

/** A cell as it was before an export guarded it by an apostrophe, or as `="007"`. */
export function unguarded(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unguarded)
  return typeof value === 'string' && "'=".includes(value.charAt(0)) ? value.replaceAll(guard, '') : value
}

const newColumn = (name: string) => ({
  name,
  /** An optional column may differ in case, `Due date` for `Due Date`. */
  actual: name,
  /** The places that require it. */
  at: [] as DocumentPath[],
  /** The uses of a column: fields of the body, or other parts of the mapping. */
  fields: new Set<string>(),
  seen: false,
  /** Set once all headers are known and none has it. */
  isAbsent: false,
})
type NamedColumn = ReturnType<typeof newColumn>

/** Undefined for NDJSON, which has no header. */
export type Header = readonly string[] | undefined

/** The columns that a mapping names, and what is known of them. */
export type NamedColumns = ReturnType<typeof namedColumns>

export function namedColumns(emptyWords: readonly string[] = []) {
  const emptyValues: ReadonlySet<unknown> = new Set(emptyWords)
  const byName = new Map<string, NamedColumn>()
  const all = () => [...byName.values()]

  /** Returns an empty text for the words of an empty cell. */
  function blank(value: unknown): unknown {
    if (emptyValues.size === 0) return value
    if (Array.isArray(value)) return value.map(blank)
    return typeof value === 'string' && emptyValues.has(value.trim()) ? '' : value
  }

  /** Returns the exact name in a header, else the only one that differs in case, unless the mapping names that too. */
  function actualIn(name: string, header: readonly string[]): string | undefined {
    if (header.includes(name)) return name
    const lower = name.toLowerCase()
    const [only, another] = new Set(header.filter(each => each.toLowerCase() === lower))
    return another === undefined && only !== undefined && !byName.has(only) ? only : undefined
  }

  return {
    /** All rules of the body, but for those of items. */
    rules: [] as Rule[],
    blank,
    actualIn,

    /** An optional column may be missing from the header. */
    reader(name: string, at: DocumentPath, isOptional = false): Evaluate {
      const column = byName.get(name) ?? newColumn(name)
      if (!isOptional) column.at.push(at)
      column.fields.add(fieldAt(at))
      byName.set(name, column)
      const isOfBody = at[0] === 'body'
      return scope => {
        if (column.isAbsent) return undefined
        const value = blank(scope.row.value(column.actual))
        if (value !== undefined) column.seen = true
        const error = errorTextIn(value)
        if (error === undefined) return isOfBody ? unguarded(value) : value
        if (!scope.errors.some(({ code, column }) => code === 'error_cell' && column === name))
          scope.errors.push({
            path: '',
            column: name,
            value: error,
            ...problem('error_cell', { column: name, error }),
          })
        return isOfBody ? undefined : value // rows with such a key keep their names
      }
    },

    /** Sets the headers of all sources. Returns the columns whose names differ between them. */
    settle(headers: readonly Header[]) {
      const isKnown = !headers.includes(undefined)
      return all().flatMap(column => {
        const called = [...new Set(headers.flatMap(header => actualIn(column.name, header ?? []) ?? []))]
        const [actual = column.name, ...others] = called
        if (others.length > 0 || (!isKnown && actual !== column.name)) return [{ name: column.name, called }]
        column.actual = actual
        column.isAbsent = isKnown && called.length === 0
        return []
      })
    },

    renamed: () => all().filter(({ name, actual }) => actual !== name),

    unseen: () => all().flatMap(({ name, seen, at }) => (seen || at.length === 0 ? [] : name)),

    /** The required columns that a header lacks. */
    missingFrom(header: readonly string[]) {
      const names = new Set(header)
      return all().filter(({ name, at }) => at.length > 0 && !names.has(name))
    },

    /** The fields that a column feeds, and parts of the mapping such as `key`. A path is used with the object that holds it. */
    fieldsOf(name: string): string[] {
      const feeding = all().filter(({ actual }) => `${name}.`.startsWith(`${actual}.`))
      const fields = new Set(feeding.flatMap(({ fields }) => [...fields]))
      return [...fields].sort((a, b) => Number(b === 'key') - Number(a === 'key'))
    },

    countIn: (header: readonly string[]) =>
      all().filter(({ name }) => actualIn(name, header) !== undefined).length,

    unnamedIn(header: readonly string[]): string[] {
      const named = new Set(all().flatMap(({ name, actual }) => [name, actual]))
      return [...new Set(header)].filter(name => name !== '' && !named.has(name) && !isReservedColumn(name))
    },
  }
}

const rulePart = /^(each|default|from|join|expr)$/

/** Returns `emails.email`, or the part of the mapping outside of its body. */
function fieldAt([part, ...steps]: DocumentPath): string {
  const names = steps.filter(step => typeof step === 'string' && !rulePart.test(step))
  return part === 'body' ? names.join('.') : String(part)
}

/** All that the parts of a body need to be compiled. */
export interface CompileContext {
  readonly yaml: LocatedYaml
  readonly columns: NamedColumns
  readonly isOptional: boolean
  readonly lookups: Lookups
  readonly lookupNames: readonly string[]
  /** The path of a node in the body, or in the item inside `each`. */
  readonly path: string
  /** Its place in the file, for faults. */
  readonly at: DocumentPath
  /** Set inside `each`, where a dot is the item. */
  readonly inEach?: boolean
}

export const inField = (context: CompileContext, step: string | number): CompileContext => ({
  ...inPart(context, step),
  path: join(context.path, step),
})

export const inPart = (context: CompileContext, ...steps: DocumentPath): CompileContext => ({
  ...context,
  at: [...context.at, ...steps],
})

/** Compiles a name in a rule or template: a column of the row, or inside `each` the item or one of its fields. */
export function compileReader(name: string, { columns, at, isOptional, inEach }: CompileContext): Evaluate {
  if (!inEach || !name.startsWith('.')) return columns.reader(name, at, isOptional)
  const field = name.slice(1)
  return field === '' ? ({ item }) => item : ({ item }) => atPath(item, field)
}

/** The name of a column for errors; that of the items for a dot. */
export function columnLabel(name: string, { itemsColumn }: Scope): string {
  const items = name.startsWith('.') ? itemsColumn?.() : undefined
  return items === undefined ? name : `${items}${name === '.' ? '' : name}`
}

/** Alternative names of a key column; the first in a header is used. */
export type KeyPart = readonly string[]

/** The columns of `key:`, the same in all sources. If optional ones are missing from all, content identifies the rows. */
export function keyColumns(
  parts: readonly KeyPart[],
  { yaml, columns, isOptional }: Pick<CompileContext, 'yaml' | 'columns' | 'isOptional'>,
) {
  let chosen: { readonly source: string; readonly names: readonly string[] } | undefined
  const missing = (): readonly string[] => (chosen?.names.length === 0 ? parts.flat() : [])
  return {
    missing,
    /** The first name of each part; none if content identifies the rows. */
    names: () => (missing().length > 0 ? [] : parts.map(([first = '']) => first)),
    /** Chooses the columns of a header; notes a fault if some are missing or repeated, or sources differ. */
    choose(header: readonly string[], source: string): void {
      if (parts.length === 0) return
      const found = parts.map(part => part.find(name => columns.actualIn(name, header) !== undefined))
      const names = found.filter(name => name !== undefined)
      const lacking = parts[found.indexOf(undefined)]
      if (lacking !== undefined && (!isOptional || names.length > 0)) {
        if (isOptional || lacking.length > 1)
          yaml.fault(['key'], fileProblem('incomplete_key', { names: lacking, source }))
        return // a required column without other names is a fault of all columns
      }
      for (const name of names) {
        const actual = columns.actualIn(name, header)
        const at = header.flatMap((each, index) => (each === actual ? `${index + 1}` : []))
        if (at.length > 1) yaml.fault(['key'], fileProblem('repeated_key_column', { name, source, at }))
      }
      chosen ??= { source, names }
      if (chosen.names.join() === names.join()) return
      const differing = { names: parts.flat().join(', '), one: chosen.source, other: source }
      yaml.fault(['key'], fileProblem('key_columns_differ', differing))
    },
  }
}
