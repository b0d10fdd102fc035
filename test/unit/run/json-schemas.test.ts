import { readdir, readFile } from 'node:fs/promises'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { planJsonSchema } from '../../../scripts/json-schemas.js'
import { commonOptions, stepOptions } from '../../../src/features/migration/plan-file.ts'
import { flagOf } from '../../../src/settings/options.ts'
import { responseRules } from '../../../src/settings/response-rules.ts'
import { blocksIn, pages, root } from '../../support/pages.ts'

const schema = planJsonSchema({ commonOptions, stepOptions, flagOf, responseRules })
const validate = new Ajv2020({ allErrors: true, strict: false }).compile(schema)

const faultsIn = (text: string) => {
  validate(parse(text))
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

type Keys = Readonly<Record<string, { readonly description?: string; readonly examples?: unknown[] }>>

const plansIn = (page: string) => blocksIn(page, 'yaml').filter(block => /^steps:/m.test(block))

describe('config/plan.schema.json', () => {
  it('config/plan.schema.json is what `npm run schema` makes of the schema in code', async () => {
    expect(JSON.parse(await readFile(`${root}/config/plan.schema.json`, 'utf8'))).toEqual(
      JSON.parse(JSON.stringify(schema)),
    )
  })

  it('config/plan.schema.json says of every key what it is for, with an example', () => {
    const { steps, ...common } = schema.properties as Keys & {
      steps: { additionalProperties: { properties: Keys } }
    }
    const keys = Object.entries({ ...common, ...steps?.additionalProperties.properties })
    expect(keys.length).toBeGreaterThan(20)
    expect(keys.filter(([, { description, examples }]) => !description || !examples?.length)).toEqual([])
  })

  it('config/plan.schema.json accepts every plan that ships or is shown on a page', async () => {
    const shipped = (await readdir(`${root}/samples`, { recursive: true })).filter(file =>
      file.endsWith('plan.yaml'),
    )
    const texts = await Promise.all(shipped.map(file => readFile(`${root}/samples/${file}`, 'utf8')))
    const shown = pages.flatMap(plansIn)
    expect(shown.length).toBeGreaterThan(1)
    texts.push(...shown)
    for (const text of texts) expect([text, faultsIn(text)]).toEqual([text, []])
  })

  it('config/plan.schema.json tells unknown keys, wrong values and what a step lacks', () => {
    expect(faultsIn('{ steps: {} }').join()).toContain('must NOT have fewer than 1 properties')
    expect(faultsIn('{ concurency: 3, steps: { a: { source: x, mapping: y } } }').join()).toContain(
      'additional properties',
    )
    const step = (text: string) => faultsIn(`{ steps: { a: ${text} } }`).join()
    expect(step('{ source: x, mapping: y, delivery: sometimes }')).toContain('one of the allowed values')
    expect(step('{ source: x, mapping: y, rate: fast }')).toContain('must be number')
    expect(step('{ source: x }')).toContain("must have required property 'mapping'")
  })
})
