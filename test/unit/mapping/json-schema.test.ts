import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { mappingJsonSchema } from '../../../scripts/json-schemas.js'
import { ruleMarks, ruleSchema } from '../../../src/mapping/rule.ts'
import { mappingSchema } from '../../../src/mapping/schema.ts'
import { innerSchema, requiredFields } from '../../../src/records/fields.ts'
import { kinds } from '../../../src/records/kinds.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const schema = mappingJsonSchema({ mappingSchema, ruleSchema, ruleMarks, kinds, innerSchema, requiredFields })
const validate = new Ajv2020({ allErrors: true, strict: false }).compile(schema)

const faultsIn = (text: string) => {
  validate(parse(text))
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

/** Every key that the schema lists, with what it says about it. */
function keysIn(node: unknown, path = ''): [string, { description?: string; examples?: unknown[] }][] {
  if (typeof node !== 'object' || node === null) return []
  return Object.entries(node).flatMap(([name, value]) =>
    name === 'properties'
      ? Object.entries(value).flatMap(([key, each]) => [
          [`${path}.${key}`, each as object] as [string, object],
          ...keysIn(each, `${path}.${key}`),
        ])
      : keysIn(value, name === 'allOf' ? 'record fields' : path),
  )
}

describe('config/mapping.schema.json', () => {
  it('config/mapping.schema.json is what `npm run schema` makes of the schema in code', async () => {
    expect(JSON.parse(await readFile(`${root}/config/mapping.schema.json`, 'utf8'))).toEqual(schema)
  })

  it('config/mapping.schema.json says of every key what it is for, with an example', () => {
    const keys = keysIn(schema).filter(([path]) => !path.startsWith('record fields'))
    expect(keys.length).toBeGreaterThan(60)
    const bare = keys.filter(([, { description, examples }]) => !description || !examples?.length)
    expect(bare.map(([path]) => path)).toEqual([])
  })

  it('config/mapping.schema.json knows the fields of both records', () => {
    const text = JSON.stringify(schema.allOf)
    for (const field of ['linkedin_url', 'designation', 'date_info', 'estimated_time', 'option_id'])
      expect(text).toContain(`"${field}"`)
  })

  it('config/mapping.schema.json lets every mapping through that ships', async () => {
    const files = [
      ...(await readdir(`${root}/config`)).map(file => `config/${file}`),
      ...(await readdir(`${root}/samples`, { recursive: true })).map(file => `samples/${file}`),
    ].filter(file => file.endsWith('.yaml') && !/settings|plan\.yaml$/.test(file))
    expect(files.length).toBeGreaterThan(4)
    for (const file of files)
      expect([file, faultsIn(await readFile(`${root}/${file}`, 'utf8'))]).toEqual([file, []])
  })

  it('config/mapping.schema.json tells a rule with an unknown part, two marks, or a wrong word', () => {
    const inBody = (rule: string) => faultsIn(`{ record: contact, body: { emails: [{ email: ${rule} }] } }`)
    expect(inBody('{ from: A, as: email }')).toEqual([])
    expect(inBody('{ from: A, ass: email }').join()).toContain('must NOT have additional properties')
    expect(inBody('{ from: A, expr: B }').join()).toContain('must match exactly one schema in oneOf')
    expect(inBody('{ from: A, as: emial }').join()).toContain('must be equal to one of the allowed values')
  })

  it('config/mapping.schema.json reports an unknown key at the top, and an unknown record', () => {
    expect(faultsIn('{ record: contact, boddy: {} }').join()).toContain('must NOT have additional properties')
    expect(faultsIn('{ record: deal, body: { name: x } }').join()).toContain('/record must be equal to one')
  })
})
