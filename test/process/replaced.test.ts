import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, readFile, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { atEnd, tempFolder } from '../support/cleanup.ts'
import { files, importOf } from '../support/imports.ts'
import { closedLatch } from '../support/latch.ts'
import { root } from '../support/pages.ts'
import { pollOptions } from '../support/polling.ts'
import { startService } from '../support/service.ts'

/** A copy of what was built, which a test may remove. */
async function installed(): Promise<string> {
  const folder = await tempFolder()
  for (const part of ['dist', 'config', 'package.json'])
    await cp(join(root, part), join(folder, part), { recursive: true })
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

const map = `record: task
key: Id
allow_unknown_fields: true
body:
  name: "{{Name}}"
  at: { from: Day, as: datetime, zone: Europe/Berlin }
  phone: { from: Phone, as: phone, country: GB }
  text: { from: Text, as: markdown }
  day: { expr: "Day ? $day(Day) : null" }
  call: { expr: "Phone ? $phone(Phone, 'GB') : null" }
`
const plain = Array.from({ length: 40 }, (_, at) => `${at + 1},Task ${at + 1},,,\n`).join('')

it('a run ends as it would if its package is removed after the first call', async () => {
  const latch = closedLatch()
  const service = await startService({ holds: () => latch.opened })
  const cwd = await files({
    'rows.csv': `Id,Name,Day,Phone,Text\n${plain}41,Last,2026-11-28,020 7946 0018,*so*\n42,,,,\n`,
    'map.yaml': map.replace('"{{Name}}"', '{ from: Name, required: true }'),
  })
  const folder = await installed()
  const ends = ['--report', 'page.html', '--metrics', 'm.prom', '--summary', 's.json', '--rejects', 'r.csv']
  const args = importOf('rows.csv', 'map.yaml', service.url, '-c', '1', ...ends)
  const child = spawn(process.execPath, [join(folder, 'dist/bin/rowlift.cjs'), ...args], {
    cwd,
    env: { PATH: process.env.PATH ?? '', ROWLIFT_TOKEN: 'a-secret-token' },
  })
  atEnd(() => child.kill('SIGKILL'))
  let stderr = ''
  child.stderr.on('data', text => {
    stderr += text
  })
  await expect.poll(() => service.calls.length, pollOptions).toBeGreaterThan(0)
  await rm(folder, { recursive: true })
  latch.open()
  const [exitCode] = await once(child, 'close')
  expect(stderr).not.toMatch(/MODULE_NOT_FOUND|ENOENT|defect|could not be written/)
  expect(exitCode).toBe(1)
  expect(service.calls).toHaveLength(41)
  expect(service.calls.at(-1)?.body).toMatchObject({ phone: '+442079460018', call: '+442079460018' })
  const textOf = (name: string) => readFile(join(cwd, name), 'utf8')
  expect(await textOf('page.html')).toContain('<!doctype html>')
  expect(await textOf('m.prom')).toContain('rowlift_run_exit_code')
  expect(JSON.parse(await textOf('s.json'))).toMatchObject({ created: 41, invalid: 1 })
  expect(await textOf('r.csv')).toContain('42')
})
