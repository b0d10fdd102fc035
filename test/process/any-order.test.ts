import { describe, expect, it } from 'vitest'
import { endsIn, family, familyMapping } from '../support/family.ts'
import { forest } from '../support/forest.ts'
import { killAndResume } from '../support/kills.ts'
import { randomFor } from '../support/random.ts'
import { parentsIn } from '../support/references.ts'
import { madeBy, type ServiceOptions } from '../support/service.ts'

describe('whatever the order', () => {
  it('killed in the middle and given again, every link is right, nothing is twice and nothing lost', async () => {
    const contacts = familyMapping.replace('record: task', 'record: contact\nuse_created: true')
    const trials = [1, 2].map(async trial => {
      const random = randomFor(`killed forest ${trial}`)
      const { csv, parents } = forest(50, random, 0)
      const similar: ServiceOptions['similar'] = ({ body }) => String(body.name)
      const { service, cwd, args, log } = await family(
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
      const ends = Object.values(await endsIn(log))
      expect(ends).toHaveLength(50)
      for (const end of ends) expect(end).toBeOneOf(['created', 'existing'])
    })
    await Promise.all(trials)
  }, 120_000)
})
