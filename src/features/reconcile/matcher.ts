import type { CountryCode } from 'libphonenumber-js'
import type { Transform } from '../../mapping/scope.ts'
import { datetimeTransform } from '../../mapping/transforms/date.ts'
import { isKnownCountry, phoneTransform } from '../../mapping/transforms/phone.ts'
import { UsageError } from '../../model/errors.ts'
import { isProblem } from '../../model/problem.ts'
import { atPath, present, textOf } from '../../model/values.ts'
import { expected } from '../../records/fields.ts'
import type { RecordType } from '../../records/kinds.ts'
import type { Pair } from '../../settings/option-values.ts'
import { recordFields } from '../fields/run-fields.ts'

export type Matcher = ReturnType<typeof matcherFor>

/** Compares what was sent with what an export shows of it, however each of them writes it. Throws a UsageError for a country that does not exist. */
export function matcherFor(pairs: readonly Pair[], record: RecordType, country: string | undefined) {
  if (country !== undefined && !isKnownCountry(country))
    throw new UsageError('bad_values', { faults: [['--country', 'must be a country code such as GB']] })
  const types = new Map(recordFields(record).map(({ path, takes }) => [path.join('.'), takes]))
  /** Paths of no known field, as long as no body has them. */
  const unseen = new Set<string>()
  const fields = pairs.map(({ column, path }) => {
    const type = types.get(path.replaceAll(/\.\d+(?=\.|$)/g, ''))
    if (type === undefined) unseen.add(path)
    return { column, path, steps: path.split('.'), formOf: formerOf(path, type, country) }
  })
  return {
    /** Values that were sent of the fields that are compared. */
    sent(body: unknown): unknown[] {
      for (const path of unseen) if (atPath(body, path) !== undefined) unseen.delete(path)
      return fields.map(({ steps }) => atPath(body, steps))
    },
    /** Throws a UsageError for a path that is no field, and was in no body. */
    checkPaths() {
      if (unseen.size > 0) throw new UsageError('no_such_field', { record, words: [...unseen] })
    },
    differing: (allSent: readonly unknown[], allExported: readonly unknown[]) =>
      fields.flatMap(({ column, path, formOf }, at) => {
        const [sent = null, exported = null] = [allSent[at], allExported[at]]
        return formOf(sent) === formOf(exported) ? [] : { path, column, sent, found: exported }
      }),
    /** Returns a text that is equal if all values are, and empty if there is none: lines, which no content key is. */
    textOf(values: readonly unknown[]): string {
      const forms = fields.map(({ formOf }, at) => formOf(values[at]))
      return forms.some(form => form !== '') ? `\n${forms.join('\n')}` : ''
    },
  }
}

/** Times in the usual form, which is read in a tenth of the time. */
const usualTime = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d:\d\d)?Z?$/

/** Makes what returns the form in which values of a field are compared; empty is absent. Loads only the library that the field needs. */
function formerOf(path: string, type = '', country: CountryCode | undefined): (value: unknown) => string {
  if (path.endsWith('email')) return value => oneLine(value).toLowerCase()
  if (/(phone_number|contact_phone)$/.test(path)) {
    const phone = phoneTransform(country, 'keep')
    return value => read(oneLine(value), phone)
  }
  if ([expected.integer, expected.number, expected.flag].some(plain => type.startsWith(plain)))
    return value => {
      const text = oneLine(value)
      return /^[+-]?\d*\.?\d+$/.test(text) ? String(Number(text)) : text.toLowerCase()
    }
  const timestamp = datetimeTransform({})
  return value => {
    const text = oneLine(value)
    const [, day, time = 'T00:00:00'] = usualTime.exec(text) ?? []
    if (day !== undefined) return day + time
    return /^\d{4}-\d\d-\d\d/.test(text) ? read(text, timestamp).replace(/(?<=\dT.*)Z$/, '') : text
  }
}

function oneLine(value: unknown): string {
  if (typeof value === 'string' && /^[!-~]+$/.test(value)) return value // as most are
  const text = textOf(present(value) ?? '')
  return (isProblem(text) ? JSON.stringify(value) : text).normalize('NFC').replaceAll(/\s+/g, ' ').trim()
}

/** Reads a value; one that cannot be read is compared as it is. */
function read(text: string, transform: Transform): string {
  const value = text === '' ? '' : transform(text)
  return typeof value === 'string' ? value : text
}
