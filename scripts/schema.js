// `npm run schema`: writes what is made of tables in the code anew: the schemas in config/, and pages in docs/usage/.
import { writeFile } from 'node:fs/promises'
import {
  initOptions,
  logOptions,
  reportOptions,
  resolveOptions,
  sandboxOptions,
} from '../dist/app/command-options.js'
import { planJsonSchema, settingsJsonSchema } from '../dist/app/json-schemas.js'
import { flagOf, importOptions } from '../dist/app/options.js'
import { placeholderOf } from '../dist/cli/help.js'
import { customFields, fieldsOf } from '../dist/mapping/field-list.js'
import { mappingJsonSchema } from '../dist/mapping/json-schema.js'
import { summaryJsonSchema } from '../dist/report/summary-schema.js'
import { catalogues, explainCode } from '../dist/report/words.js'
import { errorsPage } from './errors-page.js'
import { fieldsPage } from './fields-page.js'
import { optionsPage } from './options-page.js'

const write = (path, text) => writeFile(new URL(`../${path}`, import.meta.url), text)
const writeSchema = (name, schema) => write(`config/${name}`, `${JSON.stringify(schema, null, 2)}\n`)

await writeSchema('mapping.schema.json', mappingJsonSchema())
await writeSchema('plan.schema.json', planJsonSchema())
await writeSchema('settings.schema.json', settingsJsonSchema())
await writeSchema('summary.schema.json', summaryJsonSchema())
const tables = {
  import: importOptions,
  init: initOptions,
  report: reportOptions,
  log: logOptions,
  resolve: resolveOptions,
  sandbox: sandboxOptions,
}
await write('docs/usage/options.md', optionsPage(tables, { flagOf, placeholderOf }))
await write('docs/usage/errors.md', errorsPage(catalogues, explainCode))
const records = { contact: fieldsOf('contact'), task: fieldsOf('task') }
await write('docs/usage/fields.md', fieldsPage(records, customFields()))
