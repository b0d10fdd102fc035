// `npm run schema`: writes the schemas in config/ anew, from those that check mapping files and plans and describe summaries.
import { writeFile } from 'node:fs/promises'
import { planJsonSchema } from '../dist/app/migration/plan-json-schema.js'
import { mappingJsonSchema } from '../dist/mapping/json-schema.js'
import { summaryJsonSchema } from '../dist/report/summary-schema.js'

const write = (name, schema) =>
  writeFile(new URL(`../config/${name}`, import.meta.url), `${JSON.stringify(schema, null, 2)}\n`)

await write('mapping.schema.json', mappingJsonSchema())
await write('plan.schema.json', planJsonSchema())
await write('summary.schema.json', summaryJsonSchema())
