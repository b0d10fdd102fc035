import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startSandbox } from '../../src/features/sandbox/server.ts'
import { atEnd } from '../support/cleanup.ts'
import { folderWith, into, linesOf, rowlift } from '../support/rowlift.ts'

const csv = 'Id,Task,Due,Owner\nA1,Paint,03/04/2026,Ada\nA2,Sweep,05/06/2026,Bob\n'

interface Question {
  readonly id: string
  readonly choices: readonly { readonly id: string; readonly label: string; readonly default: boolean }[]
}

it('a program reads the questions of a draft, answers them, and the import begins', async () => {
  const sandbox = await startSandbox()
  atEnd(() => sandbox.close())
  const records = async () => linesOf(await (await fetch(`${sandbox.url}/sandbox/records`)).text())
  const cwd = await folderWith({ 'tasks.csv': csv })
  const init = (...flags: string[]) => rowlift(['init', 'tasks.csv', '-o', 'm.yaml', ...flags], { cwd })
  const env = { ROWLIFT_TOKEN: 'sandbox' }
  const args = ['import', 'tasks.csv', '-m', 'm.yaml', ...into(sandbox.url)]
  const send = () => rowlift(args, { cwd, env })

  const { stdout } = await init('--json')
  expect([(await send()).exitCode, await records()]).toEqual([2, []])
  const { questions }: { questions: readonly Question[] } = JSON.parse(stdout)
  const picked = questions.flatMap(({ id, choices }) => {
    const choice =
      choices.find(({ label }) => label.includes('4 March')) ?? choices.find(each => each.default)
    return ['--answer', `${id}=${choice?.id}`]
  })
  expect(await init(...picked)).toMatchObject({ exitCode: 0, stdout: '' })
  expect((await rowlift(['test', 'm.yaml'], { cwd })).exitCode).toBe(0)
  expect(await readFile(join(cwd, 'm.yaml'), 'utf8')).not.toContain('# ?')

  expect(await send()).toMatchObject({ exitCode: 0 })
  const made = (await records()).map(({ request }) => request)
  expect(made.map(({ name, date_info }) => [name, date_info]).sort()).toEqual([
    ['Paint', { due_date: '2026-03-04T00:00:00' }],
    ['Sweep', { due_date: '2026-05-06T00:00:00' }],
  ])
})
