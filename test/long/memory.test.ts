import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { logPart } from '../../src/run/page.ts'
import { replay } from '../../src/store/files/checkpoint.ts'
import { tempFolder } from '../support/cleanup.ts'
import { watching } from '../support/context.ts'
import { lineText, logOf, openingLine, rowLine } from '../support/log-files.ts'
import { arrayBytesInUse } from '../support/memory.ts'

describe('memory', () => {
  it('the memory of a checkpoint of 100,000 lines is bounded', async () => {
    const file = join(await tempFolder(), 'results.ndjson')
    const lines = Array.from({ length: 100_000 }, (_, at) =>
      lineText(rowLine('created', at, { key: `person${at}@example.com`, record_id: `r${at}` })),
    )
    await writeFile(file, [lineText(openingLine()), ...lines].join(''))
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

  it('the memory of the facts of a log is some bytes a row', async () => {
    const rows = Array.from({ length: 20_000 }, (_, at) => rowLine(at % 2 ? 'created' : 'failed', at))
    const file = await logOf(openingLine(), ...rows)
    const before = arrayBytesInUse()
    expect((await logPart(file, 'the log', watching)).counts).toMatchObject({
      created: 10_000,
      failed: 10_000,
    })
    expect(arrayBytesInUse() - before).toBeLessThan(20_000 * 120)
  })
})
