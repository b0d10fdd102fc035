// `npm run schema`: writes config/mapping.schema.json anew, from the schema that checks mapping files.
import { writeFile } from 'node:fs/promises'
import { mappingJsonSchema } from '../dist/mapping/json-schema.js'

const file = new URL('../config/mapping.schema.json', import.meta.url)
await writeFile(file, `${JSON.stringify(mappingJsonSchema(), null, 2)}\n`)
