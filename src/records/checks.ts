// Checks by a schema in a part of zod's time: it copies what it accepts, and makes an object for each difference.
import { z } from 'zod'

type Accepts = (value: unknown) => boolean

/**
 * Whether a value fits a schema whose objects have only optional fields; fields that are not there cost nothing. A contact takes 0.2 µs
 * instead of 0.5, a task with custom fields 0.9 instead of 2.5: 5 to 10% of a dry run.
 */
export function fitter(schema: z.core.$ZodType): Accepts {
  if (schema instanceof z.ZodOptional) {
    const fits = fitter(schema.unwrap())
    return value => value === undefined || fits(value)
  }
  if (schema instanceof z.ZodArray) {
    const fits = fitter(schema.element)
    return value => Array.isArray(value) && value.every(fits)
  }
  if (!(schema instanceof z.ZodObject)) return acceptor(schema)
  const fields = new Map(Object.entries(schema.shape).map(([name, field]) => [name, fitter(field)]))
  const isOpen = schema._zod.def.catchall instanceof z.ZodUnknown
  return value => {
    if (!isObject(value)) return false
    for (const name in value) if (!(fields.get(name)?.(value[name]) ?? isOpen)) return false
    return true
  }
}

/** Adds where a value differs from a schema, as path and what was expected; `#` stands for the index of an item. */
export type NoteDifferences = (value: unknown, differences: string[]) => void

/** Finds in JSON what the schema itself would. An answer that lacks most of its fields takes 1 µs instead of 25. */
export function differencesFrom(schema: z.core.$ZodType, place = ''): NoteDifferences {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    const exempt = schema instanceof z.ZodNullable ? null : undefined
    const note = differencesFrom(schema.unwrap(), place)
    return (value, differences) => {
      if (value !== exempt) note(value, differences)
    }
  }
  const accepts = acceptor(schema)
  const noteInside = insideOf(schema, place)
  const missing = `${place} is missing`
  const other = `${place} is not ${z.safeParse(schema, undefined).error?.issues[0]?.message}`
  return (value, differences) => {
    if (value === undefined) differences.push(missing)
    else if (accepts(value)) noteInside?.(value, differences)
    else differences.push(other)
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether the schema accepts a value, whatever is inside it. */
function acceptor(schema: z.core.$ZodType): Accepts {
  if (schema instanceof z.ZodUnknown) return () => true
  if (schema instanceof z.ZodArray) return Array.isArray
  if (schema instanceof z.ZodObject) return isObject
  if (schema instanceof z.ZodBoolean) return value => typeof value === 'boolean'
  if (schema instanceof z.ZodNumber) return schema.isInt ? Number.isSafeInteger : Number.isFinite
  const isPlain = schema instanceof z.ZodString && schema._zod.def.checks === undefined
  return isPlain ? value => typeof value === 'string' : value => z.safeParse(schema, value).success
}

function insideOf(schema: z.core.$ZodType, place: string): NoteDifferences | undefined {
  if (schema instanceof z.ZodArray) {
    if (schema.element instanceof z.ZodUnknown) return undefined
    const note = differencesFrom(schema.element, `${place}.#`)
    return (list, differences) => {
      for (const item of list as unknown[]) note(item, differences)
    }
  }
  if (!(schema instanceof z.ZodObject)) return undefined
  const fields = Object.entries(schema.shape).map(([name, field]) => ({
    name,
    note: differencesFrom(field, place === '' ? name : `${place}.${name}`),
  }))
  return (object, differences) => {
    for (const { name, note } of fields) note((object as Record<string, unknown>)[name], differences)
  }
}
