import { describe, expect, it } from 'vitest'
import { cases } from '../../support/long.ts'
import { randomFor } from '../../support/random.ts'
import { randomTrees } from '../../support/random-trees.ts'
import { importTree } from '../../support/record-tree.ts'
import { parentsIn } from '../../support/references.ts'

describe('rows in any order', () => {
  it('every child has the record of its parent after one import', async () => {
    const trials = cases([6, 1, 20], 2).map(async concurrency => {
      const { csv, parents } = randomTrees(60, randomFor(`forest ${concurrency}`), concurrency % 2)
      const { service, run } = await importTree(csv, { latencyMs: () => Math.random() * 8 })
      const { exitCode } = await run('-c', String(concurrency))
      expect(service.violations).toEqual([])
      expect(parentsIn(service)).toEqual(parents)
      expect(exitCode).toBe(concurrency % 2)
    })
    await Promise.all(trials)
  })
})
