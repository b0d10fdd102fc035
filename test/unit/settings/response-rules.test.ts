import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findRule } from '../../../src/api/retry.ts'
import { UsageError } from '../../../src/model/errors.ts'
import { importOptions } from '../../../src/settings/options.ts'
import { type ImportSettings, parseSettings, readSettings } from '../../../src/settings/settings.ts'
import { blocksIn, textOf } from '../../support/pages.ts'
import { folderWith } from '../../support/rowlift.ts'

/** The settings of a settings file. */
async function settingsOf(text: string): Promise<ImportSettings> {
  const config = join(await folderWith({ 's.yaml': text }), 's.yaml')
  const { inFile } = await readSettings(importOptions, { config }, { environment: {}, cwd: process.cwd() })
  return parseSettings(importOptions, inFile)
}

/** The faults of a settings file, one a line. */
const faultsIn = (text: string): Promise<string> =>
  settingsOf(text).then(
    () => 'none',
    error => {
      if (error instanceof UsageError) return error.message.replaceAll(/^.*s\.yaml:/gm, '')
      throw error
    },
  )

const faulty: readonly (readonly [string, string, readonly string[]])[] = [
  [
    'a misspelt key',
    'retries: 2\nresponses:\n  - { status: 400, mean: throttled }\n',
    ['3:20: unknown key "mean"; did you mean "means"?'],
  ],
  [
    'a misspelt meaning',
    'responses:\n  - { status: 400, means: throttled }\n  - { status: 500, means: throtled }\n',
    [
      '3:27: means: must be one of never_reached, throttled, refused, unauthorized, ambiguous; did you mean "throttled"?',
    ],
  ],
  [
    'a meaning with another sign',
    'responses: [{ status: 502, means: never-reached }]',
    ['1:35: ', 'did you mean "never_reached"?'],
  ],
  ['a meaning that is a number', 'responses: [{ status: 502, means: 429 }]', ['1:35: means: must be one of']],
  ['a rule without a meaning', 'responses:\n  - status: 400\n', ['2:5: means: must be one of']],
  [
    'a rule that speaks of nothing',
    'responses:\n  - means: refused\n',
    ['2:5: item 1 of responses: needs status or body'],
  ],
  [
    'statuses that are none',
    'responses:\n  - status: [400, 42,\n      "503", 400.5]\n    means: refused\n  - { status: 600, means: refused }\n  - { status: [], means: refused }\n  - { status: null, body: x, means: refused }\n',
    [
      '2:19: item 2 of status: must be a whole number from 200 to 599',
      '3:7: item 3 of status: ',
      '3:14: item 4 of status: ',
      '5:15: status: ',
      '6:15: status: must not be empty',
      '7:15: status: ',
    ],
  ],
  [
    'texts that are none',
    'responses:\n  - { body: "", means: refused }\n  - { body: "  ", means: refused }\n  - { body: 1015, means: refused }\n  - { body: [a], means: refused }\n',
    [2, 3, 4, 5].map(line => `${line}:13: body: must be a part of the text`),
  ],
  [
    'a rule that is none',
    'responses: [rate limit, { status: 400, means: refused }, null, []]\n',
    ['1:13: item 1 of responses: must be a rule, such as { status: 400', '1:58: item 3', '1:64: item 4'],
  ],
  [
    'rules that are no list',
    'responses: { status: 400, means: refused }\n',
    ['1:12: responses: must be a list of rules, such as [{ status: 400'],
  ],
  ['a misspelt name', 'response: []\n', ['1:1: unknown setting "response"; did you mean "responses"?']],
  [
    'a rule that stands for another',
    'responses: [&a { status: 40, means: refused }, *a]\n',
    ['1:26: status: must be', '1:48: status: must be'],
  ],
  [
    'JSON',
    '{\n  "responses": [\n    { "status": 400, "means": "refuse" }\n  ]\n}',
    ['3:31: means: must be one of', 'did you mean "refused"?'],
  ],
]

describe('rules of a settings file', () => {
  it.each(faulty)(
    'rules of a settings file are reported with their place for %s',
    async (_, text, messages) => {
      const faults = await faultsIn(text)
      for (const message of messages) expect(faults).toContain(message)
    },
  )

  it('rules of a settings file are reported with other unknown keys, in their order', async () => {
    expect(await faultsIn('responses: [{ status: 1, means: refused }]\nconcurency: 3\n')).toMatch(
      /^1:23: status: .*\n2:1: unknown setting "concurency"/,
    )
  })

  it.each([
    ['none', 'responses: []\n', 0],
    ['nothing', 'responses: null\n', 0],
    ['not there', 'retries: 2\n', 0],
    ['a thousand', `responses:\n${'  - { status: 400, body: "x", means: refused }\n'.repeat(1000)}`, 1000],
    ['JSON', '{"responses": [{"status": [400, 422], "body": "x", "means": "throttled"}]}', 1],
    ['one for another', 'responses: [&a { status: 400, body: x, means: throttled }, *a]\n', 2],
  ])('rules of a settings file may be %s', async (_, text, count) => {
    expect((await settingsOf(text)).responses).toHaveLength(count)
  })

  it('rules of a settings file work as the shipped example and the page on delivery show them', async () => {
    const example = textOf('config/settings.example.yaml').replaceAll(/^# (responses:| {2}- )/gm, '$1')
    expect((await settingsOf(example)).responses.length).toBeGreaterThan(1)
    const [shown = ''] = blocksIn('docs/usage/delivery.md', 'yaml')
    expect((await settingsOf(shown)).responses.length).toBeGreaterThan(1)
  })

  it('rules of a settings file leave the other settings of the file as they are', async () => {
    const settings = await settingsOf('retries: 2\nresponses: [{ body: Busy, means: throttled }]\nrate: 7\n')
    expect(settings).toMatchObject({ retries: 2, rate: 7, responses: [{ part: 'busy', means: 'throttled' }] })
  })

  it.each([
    ['what looks like a pattern', '".*(a+)+$["', 'it says .*(A+)+$[ here', true],
    ['letters beyond ASCII', 'ÜBERLAST', 'wegen überlast', true],
    ['a dotted capital I', 'İSTANBUL', 'İstanbul dolu', true],
    ['a sharp s, which is no SS', 'straße', 'STRASSE', false],
    ['a quote in JSON', `'"code":"E1"'`, '{"CODE":"E1"}', true],
    ['several lines', '|-\n      a\n      b\n    ', 'A\nB', true],
  ])('rules of a settings file match their text literally: %s', async (_, part, text, isFound) => {
    const { responses } = await settingsOf(`responses:\n  - body: ${part}\n    means: refused\n`)
    expect(findRule(responses, 400, text)?.means).toBe(isFound ? 'refused' : undefined)
  })
})
