import type { z } from 'zod'

/** Says what a key of the mapping file is for, with an example: editors show it, and config/mapping.schema.json holds it. */
export const explained = <T extends z.ZodType>(schema: T, description: string, ...examples: unknown[]): T =>
  schema.meta({ description, shown: examples }) as T // zod drops `examples` where a schema transforms
