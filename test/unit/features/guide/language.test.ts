import { request } from 'node:http'
import { expect, it } from 'vitest'
import type { RouteName, Routes } from '../../../../src/features/guide/api.ts'
import { startGuide } from '../../../support/guide.ts'
import { pollOptions } from '../../../support/polling.ts'
import { folderWith } from '../../../support/rowlift.ts'

const german = 'de-AT,de;q=0.9,en;q=0.8'
const english = 'en-GB,en;q=0.9,de;q=0.8'
const mapping =
  'record: contact\nbody:\n  name: { from: Name }\n  emails: [{ email: { from: Mail, as: email } }]\n'

/** A page over a file, for browsers of any language; `first` is the first state that is sent to one. */
async function openGuide(yaml: string, more = '') {
  const csv = `Name,Mail\nAda,nope\nBob,bob@example.com\n${more}`
  const folder = await folderWith({ 'c.csv': csv, 'c.yaml': yaml })
  const guide = await startGuide(folder, ['c.csv'])
  const token = await guide.enter()
  const headersFor = (language: string) => ({ 'x-rowlift-token': token, 'accept-language': language })
  async function call<N extends RouteName>(language: string, name: N, input: object = {}) {
    const answer = await guide.post(name, { file: 'c.csv', ...input }, headersFor(language))
    return JSON.parse(answer.text) as Routes[N]['out']
  }
  const status = (wanted: string) =>
    expect.poll(async () => (await call(english, 'state')).job?.status, pollOptions).toBe(wanted)
  const first = (language: string) =>
    new Promise<Routes['state']['out']>((resolve, reject) => {
      const headers = { ...guide.own, ...headersFor(language), 'content-length': '2' }
      const events = request(`${guide.origin}/api/events`, { method: 'POST', headers }, response =>
        response.once('data', chunk => {
          resolve(JSON.parse(`${chunk}`.replace('data: ', '')))
          events.destroy()
        }),
      )
      events.once('error', reject).end('{}')
    })
  return { call, status, first }
}

it('says what is wrong with a row in the language of the browser that has it checked', async () => {
  const { call, status } = await openGuide(mapping)
  const refusals = async (language: string) => {
    await call(language, 'check')
    await status('ended')
    const { rows } = await call(language, 'rows', { filter: 'refused', from: 0, count: 9 })
    const { columns } = await call(language, 'columns')
    const faults = columns.flatMap(({ values }) => values[0]?.fault ?? [])
    return [...(rows[0]?.errors ?? []).map(({ text }) => text), ...faults]
  }
  expect(await refusals(german)).toEqual(Array(2).fill('ist keine E-Mail-Adresse'))
  expect(await refusals(english)).toEqual(Array(2).fill('is not an e-mail address'))
})

it('says what is wrong with a mapping in the language of each page, also if two are open', async () => {
  const { call, first } = await openGuide(mapping.replace('name:', 'nam:'))
  const wrong = [/^c\.yaml:3:3: unbekanntes Feld „nam“/, /^c\.yaml:3:3: unknown field "nam"/]
  for (const [at, language] of [german, english].entries()) {
    expect((await first(language)).files[0]?.fault).toMatch(wrong[at] ?? '')
    expect((await call(language, 'state')).files[0]?.fault).toMatch(wrong[at] ?? '')
    expect(await call(language, 'columns')).toMatchObject({
      code: 'file_faults',
      text: expect.stringMatching(wrong[at] ?? ''),
    })
  }
})

it('says what happens in a job, and why it failed, in the language of the page that started it', async () => {
  const { call, status } = await openGuide(`# ? Is the name right?\n${mapping}`, 'Total,\n')
  await call(german, 'check')
  await status('ended')
  const { notices = [] } = (await call(english, 'state')).job ?? {}
  expect(notices).toContainEqual(expect.stringMatching(/^c\.csv:4: „Total“ ist anscheinend eine Summe/))
  await call(german, 'run')
  await status('failed')
  const { error } = (await call(english, 'state')).job ?? {}
  expect(error).toMatch(/^c\.yaml: 1 Frage ist offen; im Schritt „Fragen“ beantworten/)
})

it('says what the test of the way to the service found in the language of the page', async () => {
  const { call } = await openGuide(mapping)
  const found = async (language: string) => (await call(language, 'probe')).lines.map(({ text }) => text)
  const [own, others] = [await found(german), await found(english)]
  expect(own).toEqual([
    expect.stringMatching(/^Node: Node \d/),
    'Import: etwa 2 Zeilen: Kontakte',
    expect.stringMatching(/^Dienst: 127\.0\.0\.1:\d+, 127\.0\.0\.1, \d+ ms$/),
    'Token: eingegeben, oder aus ROWLIFT_TOKEN',
    expect.stringMatching(/^Protokoll: .*c\.practice\.results\.ndjson ist schreibbar$/),
    expect.stringMatching(
      /^Datenträger: einmal sichern dauert [\d.]+ ms, höchstens [\d.]+ ms: höchstens [\d.]+ Zeilen pro Sekunde$/,
    ),
    expect.stringMatching(/^Platz: [\d.]+ MB frei, gebraucht werden etwa \d+ MB$/),
  ])
  expect(others.map(text => text.split(':')[0])).toEqual([
    'node',
    'import',
    'service',
    'token',
    'log',
    'disk',
    'space',
  ])
  await call(german, 'service', { practice: false, baseUrl: 'http://127.0.0.1:1', organizationId: 1 })
  expect(await found(german)).toEqual(
    expect.arrayContaining([
      'Dienst: der Dienst ist nicht erreichbar (ECONNREFUSED); Adresse, Proxy und Namensserver prüfen',
      'Token: kein Token; oben unter „Ändern“ eingeben, oder --token-file oder ROWLIFT_TOKEN setzen',
    ]),
  )
})
