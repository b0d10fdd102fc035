import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { parse } from 'yaml'
import { settingsJsonSchema } from '../../../scripts/json-schemas.js'
import { optionsPage, optionTables } from '../../../scripts/options-page.js'
import { placeholderOf } from '../../../src/cli/help.ts'
import { commands } from '../../../src/commands.ts'
import type { FromFiles, ImportOptions } from '../../../src/library/options.ts'
import {
  type Option,
  type Options,
  type OptionValues,
  schemaOf,
} from '../../../src/settings/option-values.ts'
import { flagOf, importOptions, optionOf } from '../../../src/settings/options.ts'
import { responseRules } from '../../../src/settings/response-rules.ts'
import { blocksIn, textOf } from '../../support/pages.ts'

const tables: Record<string, Options> = await optionTables(commands)
const options: readonly (readonly [string, Option])[] = Object.values(tables).flatMap(table =>
  Object.entries<Option>(table),
)

const notes: Readonly<Record<string, { see?: string; example?: unknown }>> = parse(
  textOf('scripts/option-notes.yaml'),
)

describe('options', () => {
  it.each(options.map(([name]) => name))('the option %s has a flag that leads back to its name', name => {
    expect(flagOf(name)).toMatch(/^[a-z]+(-[a-z]+)*$/)
    expect(optionOf(flagOf(name))).toBe(name)
  })

  it('the options take their defaults and examples', () => {
    for (const [name, option] of options)
      for (const value of [option.default, notes[name]?.example])
        if (value !== undefined)
          expect([name, schemaOf(option).safeParse(value).success]).toEqual([name, true])
  })

  it('the options have notes for editors and their page, and no other notes', () => {
    const bare = Object.entries<Option>(importOptions).filter(([, { kind }]) => kind !== 'flag')
    expect(bare.filter(([name]) => notes[name]?.example === undefined)).toEqual([])
    expect(Object.keys(notes).filter(name => !options.some(([each]) => each === name))).toEqual([])
  })

  it('the options are all on their page, which `npm run schema` writes', () => {
    expect(textOf('docs/usage/options.md')).toBe(optionsPage(tables, { flagOf, placeholderOf }))
  })
})

type Table = typeof importOptions
type Shared = {
  [N in keyof Table as Table[N] extends { isForCommand: true } ? never : N]: Table[N]
}
type Plain = 'flag' | 'choice' | 'count' | 'number' | 'url' | 'version'
type PlainName = { [N in keyof Shared]: Shared[N] extends { kind: Plain } ? N : never }[keyof Shared]
type Value<O extends Option> = OptionValues<{ o: O }>['o']

describe('options of a program', () => {
  it('the options of a program are those of the command, without what only that has', () => {
    type All = ImportOptions & FromFiles
    expectTypeOf<keyof All>().toEqualTypeOf<keyof Shared | 'source' | 'rows' | 'token' | 'signal'>()
    type InCode = { [N in PlainName]: NonNullable<All[N]> }
    expectTypeOf<InCode>().toEqualTypeOf<{ [N in PlainName]: NonNullable<Value<Shared[N]>> }>()
  })
})

describe('config/settings.schema.json', () => {
  const schema = settingsJsonSchema({ importOptions, flagOf, responseRules })
  const validate = new Ajv2020({ allErrors: true, strict: false }).compile(schema)
  const faultsIn = (text: string) => {
    validate(parse(text))
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
  }

  it('config/settings.schema.json is what `npm run schema` makes of the options', () => {
    expect(JSON.parse(textOf('config/settings.schema.json'))).toEqual(JSON.parse(JSON.stringify(schema)))
  })

  it('config/settings.schema.json says of every key what it is for, with an example', () => {
    const keys = Object.values(
      schema.properties as Record<string, { description?: string; examples?: unknown[] }>,
    )
    expect(keys.length).toBeGreaterThan(25)
    for (const { description, examples } of keys)
      expect([description, examples?.[0]]).not.toContain(undefined)
  })

  it('config/settings.schema.json accepts the settings that ship, and those on the pages', () => {
    const shipped = textOf('config/settings.example.yaml')
    const uncommented = shipped.replaceAll(/^# (?!yaml-)(?=[a-z-]+: |responses:$| {2}- \{)/gm, '')
    expect(Object.keys(parse(uncommented)).length).toBeGreaterThan(Object.keys(parse(shipped)).length + 8)
    const shown = blocksIn('docs/usage/nightly.md', 'yaml').slice(0, 1)
    for (const text of [shipped, uncommented, ...shown]) expect([text, faultsIn(text)]).toEqual([text, []])
  })

  it('config/settings.schema.json tells unknown keys and wrong values', () => {
    expect(faultsIn('concurency: 3').join()).toContain('additional properties')
    expect(faultsIn('config: other.yaml').join()).toContain('additional properties')
    expect(faultsIn('concurrency: 2000').join()).toContain('<= 1000')
    expect(faultsIn('delivery: sometimes').join()).toContain('one of the allowed values')
    expect(faultsIn('max-failures: many').join()).toContain('pattern')
    expect(faultsIn('responses: [{ status: 500, means: bad }]').join()).toContain('one of the allowed values')
  })
})
