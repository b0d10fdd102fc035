import { expect, it } from 'vitest'
import { startGuide } from '../../../support/guide.ts'
import { pollOptions } from '../../../support/polling.ts'
import { folderWith } from '../../../support/rowlift.ts'

it('says what is wrong with a row in the language of the browser that has it checked', async () => {
  const mapping =
    'record: contact\nbody:\n  name: { from: Name }\n  emails: [{ email: { from: Mail, as: email } }]\n'
  const folder = await folderWith({ 'c.csv': 'Name,Mail\nAda,nope\n', 'c.yaml': mapping })
  const guide = await startGuide(folder, ['c.csv'])
  const token = await guide.enter()
  const refusals = async (language: string) => {
    const call = async (name: string, input: object) => {
      const headers = { 'x-rowlift-token': token, 'accept-language': language }
      return JSON.parse((await guide.post(name, { file: 'c.csv', ...input }, headers)).text)
    }
    await call('check', {})
    await expect.poll(async () => (await call('state', {})).job.status, pollOptions).toBe('ended')
    const { rows } = await call('rows', { filter: 'refused', from: 0, count: 9 })
    const { columns } = await call('columns', {})
    const faults = columns.flatMap(({ values }: { values: { fault: string }[] }) => values[0]?.fault ?? [])
    return [...rows[0].errors.map(({ text }: { text: string }) => text), ...faults]
  }
  const german = 'ist keine E-Mail-Adresse'
  expect(await refusals('de-AT,de;q=0.9,en;q=0.8')).toEqual([german, german])
  const english = 'is not an e-mail address'
  expect(await refusals('en-GB,en;q=0.9,de;q=0.8')).toEqual([english, english])
})
