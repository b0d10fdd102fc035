// `npm run schema`: writes what is made of tables in the code anew: the schemas in config/, and pages in docs/usage/.
import { writeFile } from 'node:fs/promises'
import {
  exportOptions,
  initOptions,
  logOptions,
  reportOptions,
  resolveOptions,
  sandboxOptions,
  verifyOptions,
  workersOptions,
} from '../dist/app/command-options.js'
import { commonOptions, stepOptions } from '../dist/app/migration/plan-file.js'
import { flagOf, importOptions } from '../dist/app/options.js'
import { responseRules } from '../dist/app/response-rules.js'
import { placeholderOf } from '../dist/cli/help.js'
import { customFields, fieldsOf } from '../dist/mapping/field-list.js'
import { ruleMarks, ruleSchema } from '../dist/mapping/rule.js'
import { mappingSchema } from '../dist/mapping/schema.js'
import { innerSchema } from '../dist/mapping/validate.js'
import { kinds } from '../dist/records/kinds.js'
import { summarySchema } from '../dist/report/summary-schema.js'
import { catalogues, explainCode } from '../dist/report/words.js'
import { errorsPage } from './errors-page.js'
import { fieldsPage } from './fields-page.js'
import { mappingJsonSchema, planJsonSchema, settingsJsonSchema, summaryJsonSchema } from './json-schemas.js'
import { optionsPage } from './options-page.js'

const write = (path, text) => writeFile(new URL(`../${path}`, import.meta.url), text)
const writeSchema = (name, schema) => write(`config/${name}`, `${JSON.stringify(schema, null, 2)}\n`)

await writeSchema(
  'mapping.schema.json',
  mappingJsonSchema({ mappingSchema, ruleSchema, ruleMarks, kinds, innerSchema }),
)
await writeSchema('plan.schema.json', planJsonSchema({ commonOptions, stepOptions, flagOf, responseRules }))
await writeSchema('settings.schema.json', settingsJsonSchema({ importOptions, flagOf, responseRules }))
await writeSchema('summary.schema.json', summaryJsonSchema(summarySchema))
const tables = {
  import: importOptions,
  init: initOptions,
  report: reportOptions,
  log: logOptions,
  resolve: resolveOptions,
  verify: verifyOptions,
  export: exportOptions,
  workers: workersOptions,
  sandbox: sandboxOptions,
}
await write('docs/usage/options.md', optionsPage(tables, { flagOf, placeholderOf }))
await write('docs/usage/errors.md', errorsPage(catalogues, explainCode))
const records = { contact: fieldsOf('contact'), task: fieldsOf('task') }
await write('docs/usage/fields.md', fieldsPage(records, customFields()))
