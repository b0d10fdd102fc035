import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { replay } from '../../../src/journal/checkpoint.ts'
import { readLatestLines } from '../../../src/journal/latest-lines.ts'
import { tempFolder } from '../../support/cleanup.ts'
import { watching } from '../../support/context.ts'
import { logOf, openingLine, rowLine } from '../../support/log-files.ts'
import { arrayBytesInUse } from '../../support/memory.ts'

describe('the memory', () => {
  it('of a checkpoint of 100,000 lines is bounded', async () => {
    const file = join(await tempFolder(), 'results.ndjson')
    const lines = Array.from({ length: 100_000 }, (_, at) =>
      JSON.stringify(rowLine('created', at, { key: `person${at}@example.com`, record_id: `r${at}` })),
    )
    await writeFile(file, `${[JSON.stringify(openingLine()), ...lines].join('\n')}\n`)
    const before = arrayBytesInUse()
    let most = 0
    const past = await replay(file, { records: true }, ({ number }) => {
      if (number % 10_000 === 0) most = Math.max(most, arrayBytesInUse() - before)
    })
    expect(past.get('person99999@example.com', '')?.status).toBe('settled')
    expect(most).toBeGreaterThan(0)
    expect(most).toBeLessThan(100_000 * 100)
    expect(arrayBytesInUse() - before).toBeLessThan(100_000 * 100)
  })

  it('of the latest lines is some bytes a row', async () => {
    const rows = Array.from({ length: 20_000 }, (_, at) => rowLine(at % 2 ? 'created' : 'failed', at))
    const file = await logOf(openingLine(), ...rows)
    const before = arrayBytesInUse()
    const words = await readLatestLines(file, watching)
    expect(arrayBytesInUse() - before).toBeLessThan(20_000 * 120)
    expect(words.checkpoint.get('k1', '')?.status).toBe('settled')
  })
})
