// `npm run schema`: writes what is made of tables in the code anew: the schemas in config/, and pages in docs/usage/.
import { writeFile } from 'node:fs/promises'
import { placeholderOf } from '../dist/cli/help.js'
import { commands } from '../dist/commands.js'
import { customFields, recordFields } from '../dist/features/fields/run-fields.js'
import { commonOptions, stepOptions } from '../dist/features/migration/plan-file.js'
import { ruleMarks, ruleSchema } from '../dist/mapping/rule.js'
import { mappingSchema } from '../dist/mapping/schema.js'
import { catalogues, explain } from '../dist/output/words.js'
import { innerSchema, requiredFields } from '../dist/records/fields.js'
import { kinds } from '../dist/records/kinds.js'
import { recordTypes } from '../dist/records/record-types.js'
import { summarySchema } from '../dist/result/summary-schema.js'
import { flagOf, importOptions } from '../dist/settings/options.js'
import { responseRules } from '../dist/settings/response-rules.js'
import { errorsPage } from './errors-page.js'
import { fieldsPage } from './fields-page.js'
import { mappingJsonSchema, planJsonSchema, settingsJsonSchema, summaryJsonSchema } from './json-schemas.js'
import { optionsPage, optionTables } from './options-page.js'

const write = (path, text) => writeFile(new URL(`../${path}`, import.meta.url), text)
const writeSchema = (name, schema) => write(`config/${name}`, `${JSON.stringify(schema, null, 2)}\n`)

await writeSchema(
  'mapping.schema.json',
  mappingJsonSchema({ mappingSchema, ruleSchema, ruleMarks, kinds, innerSchema, requiredFields }),
)
await writeSchema('plan.schema.json', planJsonSchema({ commonOptions, stepOptions, flagOf, responseRules }))
await writeSchema('settings.schema.json', settingsJsonSchema({ importOptions, flagOf, responseRules }))
await writeSchema('summary.schema.json', summaryJsonSchema(summarySchema))
await write('docs/usage/options.md', optionsPage(await optionTables(commands), { flagOf, placeholderOf }))
await write('docs/usage/errors.md', errorsPage(catalogues, explain))
const records = Object.fromEntries(recordTypes.map(record => [record, recordFields(record)]))
await write('docs/usage/fields.md', fieldsPage(records, customFields()))
