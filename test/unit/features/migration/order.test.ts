import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Dependent, inOrder } from '../../../../src/features/migration/order.ts'

/** Steps by number, each with the numbers of those it needs. */
const stepsOf = (needs: readonly (readonly number[])[]): Dependent[] =>
  needs.map((numbers, at) => ({ name: `s${at}`, needs: numbers.map(number => `s${number}`) }))

const namesIn = (steps: readonly Dependent[]) => {
  const found = inOrder(steps)
  return 'order' in found ? found.order.map(({ name }) => name) : undefined
}

/** A graph without a circle, its steps in any order: each needs only some that have a lower rank. */
const acyclic = fc.integer({ min: 1, max: 9 }).chain(count =>
  fc
    .tuple(
      fc.shuffledSubarray(
        Array.from({ length: count }, (_, at) => at),
        { minLength: count },
      ),
      fc.array(fc.array(fc.nat(count - 1), { maxLength: 4 }), { minLength: count, maxLength: count }),
    )
    .map(([ranks, wishes]) =>
      stepsOf(
        wishes.map((wished, at) =>
          [...new Set(wished)].filter(needed => (ranks[needed] ?? 0) < (ranks[at] ?? 0)),
        ),
      ),
    ),
)

/** Any graph whatever, needs of oneself among them. */
const any = fc
  .integer({ min: 1, max: 7 })
  .chain(count =>
    fc.array(fc.uniqueArray(fc.nat(count - 1), { maxLength: 3 }), { minLength: count, maxLength: count }),
  )
  .map(stepsOf)

/** The steps that can never begin, found by taking away what can until nothing changes. */
function stuckIn(steps: readonly Dependent[]): string[] {
  const left = new Map(steps.map(step => [step.name, step]))
  for (let before = -1; before !== left.size; ) {
    before = left.size
    for (const { name, needs } of [...left.values()])
      if (!needs.some(needed => left.has(needed))) left.delete(name)
  }
  return [...left.keys()]
}

describe('order of steps', () => {
  it('the order of steps is that of the file if nothing is needed', () => {
    expect(namesIn(stepsOf([[], [], []]))).toEqual(['s0', 's1', 's2'])
  })

  it('the order of steps lets a needed step go first, and the one that needs it follow', () => {
    expect(namesIn(stepsOf([[2], [], [], []]))).toEqual(['s1', 's2', 's0', 's3'])
  })

  it('the order of steps has each step once, after all that it needs', () => {
    fc.assert(
      fc.property(acyclic, steps => {
        const names = namesIn(steps) ?? []
        expect([...names].sort()).toEqual(steps.map(({ name }) => name).sort())
        for (const [at, name] of names.entries()) {
          const before = names.slice(0, at)
          const ready = steps.filter(
            step => !before.includes(step.name) && step.needs.every(needed => before.includes(needed)),
          )
          expect(ready[0]?.name).toBe(name)
        }
      }),
    )
  })

  it('the order of steps is refused for a circle, which is reported whole', () => {
    fc.assert(
      fc.property(any, steps => {
        const found = inOrder(steps)
        expect('circle' in found).toBe(stuckIn(steps).length > 0)
        if (!('circle' in found)) return
        const { circle } = found
        expect(new Set(circle).size).toBe(circle.length)
        for (const [at, name] of circle.entries())
          expect(steps.find(step => step.name === name)?.needs).toContain(circle[(at + 1) % circle.length])
        const first = Math.min(...circle.map(name => steps.findIndex(step => step.name === name)))
        expect(circle[0]).toBe(steps[first]?.name)
      }),
    )
  })
})
