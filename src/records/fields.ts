import { z } from 'zod'

/** zod uses these as messages. */
export const expected = {
  uuid: 'a UUID',
  integer: 'a whole number',
  text: 'text',
  number: 'a number',
  flag: 'true or false',
  list: 'a list',
  timestamp: 'a timestamp',
  object: 'an object',
} as const

/** Conventions of interface 2: ids named record_id, project_id, custom_field_id and option_id are UUIDs. */
export const uuid = () => z.guid(expected.uuid)
/** An id or another count, as an integer. */
export const integer = () => z.int(expected.integer)
export const text = () => z.string(expected.text)
export const decimal = () => z.number(expected.number)
export const flag = () => z.boolean(expected.flag)
/** An array of one kind of element. */
export const listOf = <T extends z.ZodType>(element: T) => z.array(element, expected.list)
/** An array whose elements the interface does not show (2.8). */
export const list = () => z.array(z.unknown(), expected.list)
/** A field of which only null was ever seen (2.8). */
export const unknownType = () => z.unknown().nullable()

const iso = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/

/** ISO 8601, with or without fractional seconds and zone designator (interface 2); a date alone is read as well. */
export const timestamp = () => z.string(expected.timestamp).regex(iso, expected.timestamp)

type Shape = z.core.$ZodLooseShape

/** An object as the service returns it: every field present, unknown ones passed through. */
export const returned = <S extends Shape>(shape: S) => z.looseObject(shape, expected.object)

/**
 * An object for a create call: all fields are optional, because required ones are not shown (interface 2.8); unknown ones are
 * refused.
 */
export const requested = <S extends Shape>(shape: S) => z.strictObject(shape, expected.object).partial()
