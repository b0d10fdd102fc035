import { describe, expect, it } from 'vitest'
import { killAndResume } from '../support/kill-and-resume.ts'
import { randomFor } from '../support/random.ts'
import { randomTrees } from '../support/random-trees.ts'
import { finalStatuses, importTree, treeMapping } from '../support/record-tree.ts'
import { parentsIn } from '../support/references.ts'
import { madeBy, type ServiceOptions } from '../support/service.ts'

describe('rows in any order', () => {
  it('an import killed in the middle and begun again has every link right, and no row twice', async () => {
    const contacts = treeMapping.replace('record: task', 'record: contact\nuse_created: true')
    const trials = [1, 2].map(async trial => {
      const random = randomFor(`killed forest ${trial}`)
      const { csv, parents } = randomTrees(50, random, 0)
      const similar: ServiceOptions['similar'] = ({ body }) => String(body.name)
      const { service, cwd, args, log } = await importTree(
        csv,
        { similar, latencyMs: () => 5 + 20 * random() },
        contacts,
      )
      const end = await killAndResume({
        args: [...args, '-c', '4'],
        cwd,
        service,
        rowCount: 50,
        kills: 2,
        random,
      })
      expect(end.exitCode).toBe(0)
      expect(service.violations).toEqual([])
      expect(parentsIn(service)).toEqual(parents)
      expect(madeBy(service)).toEqual(Object.keys(parents).sort())
      const ends = Object.values(await finalStatuses(log))
      expect(ends).toHaveLength(50)
      for (const end of ends) expect(end).toBeOneOf(['created', 'existing'])
    })
    await Promise.all(trials)
  }, 120_000)
})
