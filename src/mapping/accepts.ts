import { z } from 'zod'

type Accepts = (value: unknown) => boolean

/**
 * Whether a value fits a schema, and no more than that: a few comparisons a field, where zod builds the value anew. What it
 * refuses is for zod to explain.
 */
export function acceptsOf(schema: z.core.$ZodType): Accepts {
  if (schema instanceof z.ZodOptional) return orElse(undefined, schema.unwrap())
  if (schema instanceof z.ZodNullable) return orElse(null, schema.unwrap())
  if (schema instanceof z.ZodUnknown) return () => true
  if (schema instanceof z.ZodString && !schema._zod.def.checks?.length)
    return value => typeof value === 'string'
  if (schema instanceof z.ZodArray) return listOf(acceptsOf(schema.element))
  if (schema instanceof z.ZodObject) return objectOf(schema)
  return value => z.safeParse(schema, value).success
}

function orElse(nothing: null | undefined, schema: z.core.$ZodType): Accepts {
  const accepts = acceptsOf(schema)
  return value => value === nothing || accepts(value)
}

const listOf =
  (accepts: Accepts): Accepts =>
  value =>
    Array.isArray(value) && value.every(accepts)

function objectOf(schema: z.ZodObject): Accepts {
  const fields = new Map(Object.entries(schema.shape).map(([name, field]) => [name, acceptsOf(field)]))
  const required = Object.keys(schema.shape).filter(name => !(schema.shape[name] instanceof z.ZodOptional))
  const isOpen = schema._zod.def.catchall instanceof z.ZodUnknown
  return value => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
    for (const name in value) {
      const accepts = fields.get(name)
      if (accepts === undefined ? !isOpen : !accepts((value as Record<string, unknown>)[name])) return false
    }
    return required.every(name => name in value)
  }
}
