import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { tempFolder } from '../support/cleanup.ts'
import { itLong } from '../support/long.ts'
import { root } from '../support/pages.ts'

const demo = join(root, 'scripts/demo.js')
const fastMs = '30'

itLong('the demo is interrupted, goes on, is right, and fits on one screen', async () => {
  const folder = await tempFolder()
  const ended = await promisify(execFile)(process.execPath, [demo, fastMs], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', TMPDIR: folder },
  })
  expect(ended.stderr).toBe('')
  expect(ended.stdout).toContain('interrupted by SIGINT')
  expect(ended.stdout).toContain(
    '240 good rows, 240 records in the service, 240 different names, 240 ids in the log',
  )
  const lines = ended.stdout.trim().split('\n')
  expect(lines.length).toBeGreaterThan(24)
  expect(lines.length).toBeLessThanOrEqual(40)
  expect(Math.max(...lines.map(line => line.length))).toBeLessThan(120)
  const [made = ''] = await readdir(folder)
  expect(ended.stdout).toContain(join(made, 'people.html'))
})
