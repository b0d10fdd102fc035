import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { importing } from '../support/imports.ts'
import { killAndResume } from '../support/kill-and-resume.ts'
import { randomFor, seed } from '../support/random.ts'
import { outcomesIn } from '../support/rowlift.ts'
import { startUnderWine, windowsNode } from '../support/wine.ts'

const kills = Math.min(20, Number(process.env.ROWLIFT_FAULT_KILLS || 5))
const rows = 20 * kills

/** Opens each file of a folder for some milliseconds: what is new, rejected or of a lock alone, and all else as Node does. */
const scanner = `
  const fs = require('node:fs')
  const look = folder => {
    for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
      const path = folder + '/' + entry.name
      const alone = /[.](new|part)$|summary|rejects|[.]lock/.test(path) ? 0x10000000 : 0
      try {
        if (entry.isDirectory()) look(path)
        else {
          const file = fs.openSync(path, alone)
          const endMs = Date.now() + 40 * Math.random()
          while (Date.now() < endMs);
          fs.closeSync(file)
        }
      } catch {}
    }
  }
  setInterval(() => {
    try {
      look('.')
    } catch {}
    if (fs.existsSync('over')) process.exit()
  }, 5)`

describe.runIf(windowsNode !== undefined)('virus scanner', () => {
  it(`an import beside a scanner that is killed ${kills} times makes no row twice and loses none`, {
    timeout: 120_000 + 30_000 * kills,
  }, async () => {
    const files = ['--rejects', 'rejects.csv', '--summary', 'summary.json', '--lock-timeout', '1']
    const { service, cwd, args, log } = await importing(rows, { latencyMs: 10 }, ...files)
    const beside = startUnderWine(['-e', scanner], { cwd })
    const random = randomFor(`scanner ${seed}`)
    const { exitCode, stderr } = await killAndResume({ args, cwd, service, rowCount: rows, kills, random })
    await writeFile(join(cwd, 'over'), '')
    await beside.ended
    await service.settled()
    expect([0, 1], stderr).toContain(exitCode)
    const names = service.made.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    const ends = new Map<number, string>()
    for (const { row, status } of await outcomesIn(log))
      if (ends.get(row) !== 'created') ends.set(row, status)
    expect(ends.size).toBe(rows)
    for (const [row, status] of ends) {
      expect(['created', 'in_doubt']).toContain(status)
      if (status === 'created') expect(names).toContain(`Task ${row}`)
    }
  })
})
