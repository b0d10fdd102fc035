import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { folderWith, into, linesOf, rowlift } from '../support/rowlift.ts'
import { startService } from '../support/service.ts'

const mapping = `record: task
key: Id
body:
  name: { from: Name }
  # ? Is "03/04/2026" in line 2 (column "Due") 3 April or 4 March? The values allow both.
  # date_info: { due_date: { from: Due, as: date, format: d/M/yyyy } }
`
const csv = 'Id,Name,Due\n1,Ada,03/04/2026\n2,Bob,05/06/2026\n'
const question = 'm.yaml:5: Is "03/04/2026" in line 2 (column "Due") 3 April or 4 March?'

async function stage() {
  const service = await startService()
  const cwd = await folderWith({ 'm.yaml': mapping, 'in.csv': csv })
  const run = (...options: string[]) => rowlift(['import', 'in.csv', '-m', 'm.yaml', ...options], { cwd })
  return { service, cwd, run, send: (...options: string[]) => run(...into(service.url), ...options) }
}

it('a first import does not begin while its mapping has open questions, and goes on once they are answered', async () => {
  const { service, cwd, send } = await stage()
  const refused = await send('--log-format', 'pretty')
  expect([refused.exitCode, service.made.length]).toEqual([2, 0])
  expect(refused.stderr).toContain('m.yaml: 1 question of its draft is open')
  expect(refused.stderr).toContain(question)
  expect(refused.stderr).toContain('or give --open-questions accept:')
  await writeFile(join(cwd, 'm.yaml'), mapping.replace(/^ *#.*\n/gm, ''))
  expect([(await send()).exitCode, service.made.length]).toEqual([0, 2])
})

it('with --open-questions accept it begins, and the questions are told', async () => {
  const { service, send } = await stage()
  const { exitCode, stderr } = await send('--open-questions', 'accept')
  expect([exitCode, service.made.length]).toEqual([0, 2])
  expect(linesOf(stderr)).toContainEqual(
    expect.objectContaining({
      level: 40,
      msg: 'm.yaml: 1 question of its draft is open; a dry run lists them',
    }),
  )
})

it('a mapping under which a log has records already goes on, so that no night breaks', async () => {
  const { service, cwd, send } = await stage()
  await writeFile(join(cwd, 'm.yaml'), mapping.replace('# ?', '#'))
  await send()
  await writeFile(join(cwd, 'm.yaml'), mapping)
  await writeFile(join(cwd, 'in.csv'), `${csv}3,Cy,\n`)
  const { exitCode, stderr } = await send()
  expect([exitCode, service.made.length]).toEqual([0, 3])
  expect(stderr).toContain('1 question of its draft is open')
})

it('a dry run lists them on a terminal, on its page and in its summary, and in a log without cells', async () => {
  const { cwd, run } = await stage()
  const { exitCode, stderr } = await run('--dry-run', '--report', 'page.html', '--summary', 's.json')
  expect(exitCode).toBe(0)
  expect(stderr).not.toContain('03/04/2026')
  const page = await readFile(join(cwd, 'page.html'), 'utf8')
  expect(page).toContain('Open questions')
  expect(page).toContain('3 April or 4 March?')
  expect(JSON.parse(await readFile(join(cwd, 's.json'), 'utf8')).open_questions).toEqual(['m.yaml:5'])
  const pretty = await run('--dry-run', '--log-format', 'pretty')
  expect(pretty.stderr).toContain('Open questions of the draft')
  expect(pretty.stderr).toContain('m.yaml:5')
  expect(pretty.stderr).toContain('Answer the open questions in the mapping, and dry-run again')
})

it('all steps of a plan are looked at before the first call of the first', async () => {
  const { service, cwd } = await stage()
  const steps = [
    { name: 'first', source: 'in.csv', mapping: 'ok.yaml' },
    { name: 'second', source: 'in.csv', mapping: 'm.yaml' },
  ]
  await writeFile(join(cwd, 'ok.yaml'), mapping.replace('# ?', '#'))
  await writeFile(join(cwd, 'plan.yaml'), JSON.stringify({ steps }))
  const args = ['import', '--plan', 'plan.yaml', ...into(service.url).filter(word => !/results/.test(word))]
  expect([(await rowlift(args, { cwd })).exitCode, service.made.length]).toEqual([2, 0])
})

it('rowlift test and rowlift doctor list them', async () => {
  const { service, cwd } = await stage()
  await writeFile(
    join(cwd, 'm.yaml'),
    `${mapping}tests: [{ row: { Id: 1, Name: Ada }, body: { name: Ada } }]\n`,
  )
  const tested = await rowlift(['test', 'm.yaml'], { cwd })
  expect(tested.exitCode).toBe(0)
  expect(tested.stdout).toMatch(/\? Is "03\/04\/2026" in line 2 .* m\.yaml:5/)
  const { stdout } = await rowlift(['doctor', 'in.csv', '-m', 'm.yaml', ...into(service.url)], { cwd })
  expect(stdout).toContain('answer m.yaml:5: Is ')
  await rm(cwd, { recursive: true, force: true })
})
