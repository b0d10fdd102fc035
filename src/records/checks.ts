// Checks by a schema in a part of zod's time: it copies what it accepts, and makes an object for each difference.
import { z } from 'zod'
import type { Json } from './compare.ts'
import { requiredFields } from './fields.ts'

/** Adds the differences of a value: each is a path and what was expected. `#` is for the index of an item. */
export type NoteDifferences = (value: unknown, differences: string[]) => void

/**
 * Finds in JSON what the schema itself would. An answer that lacks most of its fields takes 1 µs instead of 25. A contact's
 * body takes 0.2 µs instead of 0.5, a task's with custom fields 0.9 instead of 2.5: 5 to 10% of a dry run.
 */
export function differencesFrom(outer: z.core.$ZodType, place = ''): NoteDifferences {
  const exempt: unknown[] = []
  let schema = outer
  for (; schema instanceof z.ZodOptional || schema instanceof z.ZodNullable; schema = schema.unwrap())
    exempt.push(schema instanceof z.ZodNullable ? null : undefined)
  const accepts = acceptor(schema)
  const noteInside = insideOf(schema, place)
  const missing = `${place} is missing`
  const other = `${place} is not ${z.safeParse(schema, undefined).error?.issues[0]?.message}`
  return (value, differences) => {
    if (value !== undefined && accepts(value)) noteInside?.(value, differences)
    else if (!exempt.includes(value)) differences.push(value === undefined ? missing : other)
  }
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Checks a value, whatever is inside it. */
function acceptor(schema: z.core.$ZodType): (value: unknown) => boolean {
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
  const fields = new Map<string, NoteDifferences>()
  for (const [name, field] of Object.entries(schema.shape))
    fields.set(name, differencesFrom(field, place === '' ? name : `${place}.${name}`))
  const known = [...fields] // a list is read without an object for each field
  if (schema._zod.def.catchall instanceof z.ZodUnknown)
    return (object, differences) => {
      for (const [name, note] of known) note((object as Json)[name], differences)
    }
  const required = requiredFields(schema.shape)
  return (object, differences) => {
    for (const name of required)
      if ((object as Json)[name] === undefined) fields.get(name)?.(undefined, differences)
    for (const name in object as Json) {
      const note = fields.get(name)
      if (note === undefined) differences.push(`${name} is unknown`)
      else note((object as Json)[name], differences)
    }
  }
}
