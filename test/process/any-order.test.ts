import { describe, expect, it } from 'vitest'
import { endsIn, family, familyMapping } from '../support/family.ts'
import { killAndResume } from '../support/kills.ts'
import { type Random, randomFor } from '../support/random.ts'
import { parentsIn } from '../support/references.ts'
import { madeBy, type ServiceOptions } from '../support/service.ts'

/** A forest of rows in an order of chance: each names one before it in the forest, and some stand in circles. */
function forest(count: number, random: Random, circles: number) {
  const pick = (below: number) => Math.floor(random() * below)
  const rows = Array.from({ length: count }, (_, at) => {
    const isRoot = at === 0 || random() < 0.1
    return {
      key: `${pick(1e6)}-${at}${random() < 0.3 ? ' ünïq|' : ''}`,
      name: `Row ${at}`,
      parent: isRoot ? -1 : pick(at),
    }
  })
  for (let at = 0; at < circles; at++)
    rows.push(
      { key: `c${at}`, name: `Circle ${at}`, parent: count + 2 * at + 1 },
      { key: `d${at}`, name: `Circled ${at}`, parent: count + 2 * at },
    )
  const lines = rows.map(
    ({ key, name, parent }) => `${key},${name},${rows[parent]?.key.toUpperCase() ?? ''}\n`,
  )
  const shuffled = lines.map(line => [random(), line] as const).sort(([a], [b]) => a - b)
  const trees = rows.slice(0, count)
  return {
    csv: `Id,Name,Parent\n${shuffled.map(([, line]) => line).join('')}`,
    parents: Object.fromEntries(trees.map(({ name, parent }) => [name, rows[parent]?.name])),
  }
}

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
