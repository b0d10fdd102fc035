import { describe, expect, it } from 'vitest'
import { family } from '../../support/family.ts'
import { forest } from '../../support/forest.ts'
import { randomFor } from '../../support/random.ts'
import { parentsIn } from '../../support/references.ts'

describe('whatever the order', () => {
  it('every child has the record of its parent after one import', async () => {
    const trials = [1, 6, 20].map(async concurrency => {
      const { csv, parents } = forest(60, randomFor(`forest ${concurrency}`), concurrency % 2)
      const { service, run } = await family(csv, { latencyMs: () => Math.random() * 8 })
      const { exitCode } = await run('-c', String(concurrency))
      expect(service.violations).toEqual([])
      expect(parentsIn(service)).toEqual(parents)
      expect(exitCode).toBe(concurrency % 2)
    })
    await Promise.all(trials)
  })
})
