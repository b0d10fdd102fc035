import type { LineError, Opening, ResultLine } from '../../journal/lines.ts'
import { recordTypes } from '../../records/kinds.ts'
import type { RowLabel } from '../page/facts.ts'

type Fields = Readonly<Record<string, unknown>>

/** One row may have thousands of errors, or values that were left out; the first 20 are read. */
const maxErrors = 20
const maxText = 500

/** The line of a row in a result log. Each field is checked: anyone may have written into the file. */
export function parseLine(line: ResultLine) {
  const fields = line as unknown as Fields
  return {
    run: line.run,
    at: textOf(fields.at),
    status: typeof fields.status === 'string' ? fields.status : undefined,
    source: textOf(fields.source),
    row: countOf(fields.row) ?? 0,
    line: countOf(fields.line) ?? 0,
    key: line.key ?? '',
    httpStatus: countOf(fields.http_status),
    attempts: countOf(fields.attempts) ?? 0,
    throttled: countOf(fields.throttled) ?? 0,
    durationMs: countOf(fields.duration_ms) ?? 0,
    errors: listOf(fields.errors).flatMap(parseError),
    byHand: fields.by_hand === true,
    body: fields.body, // on the line of a row in doubt: what was sent
    omitted: listOf(fields.omitted).flatMap(parseError),
    notInAnswer: listOf(fields.not_in_answer).filter(path => typeof path === 'string'),
  }
}

export type ParsedLine = Readonly<ReturnType<typeof parseLine>>

/** The line that opens a run, checked in the same way; its texts are cut to 500 characters. */
export function parseOpening(line: object): Opening {
  const fields = line as Fields
  const text = (value: unknown) => shorten(textOf(value), maxText)
  const texts = (value: unknown) => (Array.isArray(value) ? value.slice(0, 500).map(text) : [])
  return {
    run: textOf(fields.run),
    at: text(fields.at),
    rowlift: text(fields.rowlift),
    base_url: text(fields.base_url),
    organization_id: typeof fields.organization_id === 'number' ? fields.organization_id : 0,
    record: recordTypes.find(type => type === fields.record) ?? 'contact',
    mapping: text(fields.mapping),
    mapping_sha256: text(fields.mapping_sha256),
    key_columns: texts(fields.key_columns),
    use_created: typeof fields.use_created === 'boolean' ? fields.use_created : null,
    delivery: text(fields.delivery),
    sources: texts(fields.sources),
  }
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value.slice(0, maxErrors) : [])

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const countOf = (value: unknown) =>
  typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : undefined

function parseError(error: unknown): LineError[] {
  if (typeof error !== 'object' || error === null) return []
  const { path, column, value, code, message, body } = error as Fields
  return [
    {
      ...(typeof path === 'string' && { path }),
      ...(typeof column === 'string' && { column }),
      ...(value !== undefined && { value }),
      ...(typeof code === 'string' && { code }),
      message: textOf(message),
      ...(typeof body === 'string' && { body }),
    },
  ]
}

/** A row without what else is known of it, its key cut. */
export const labelOf = ({ source, row, line, key }: RowLabel): RowLabel => ({
  source,
  row,
  line,
  key: shorten(key, maxText),
})

/** Cuts a text. The result is a copy, because a slice would hold the whole text in memory. */
export function shorten(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  const lastUnit = text.charCodeAt(maxLength - 1)
  const splitsPair = lastUnit >= 0xd800 && lastUnit <= 0xdbff
  return `${Buffer.from(text.slice(0, splitsPair ? maxLength - 1 : maxLength)).toString()}…`
}

/** Any value as short text: a string as it is, all else as JSON. */
export function showValue(value: unknown, maxLength: number): string {
  if (typeof value === 'string') return shorten(value, maxLength)
  try {
    return shorten(JSON.stringify(value) ?? '', maxLength)
  } catch {
    return '' // nested too deep
  }
}
