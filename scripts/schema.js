// `npm run schema`: writes the JSON Schemas in config/ anew, from the schemas that check mapping files and plans.
import { writeFile } from 'node:fs/promises'
import { planJsonSchema } from '../dist/cli/migration/plan-json-schema.js'
import { mappingJsonSchema } from '../dist/mapping/json-schema.js'

const write = (name, schema) =>
  writeFile(new URL(`../config/${name}`, import.meta.url), `${JSON.stringify(schema, null, 2)}\n`)

await write('mapping.schema.json', mappingJsonSchema())
await write('plan.schema.json', planJsonSchema())
