import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { likenesses, NearDuplicates } from '../../../../src/features/near-duplicates/near-duplicates.ts'
import { textFingerprint } from '../../../../src/features/near-duplicates/text-hashes.ts'
import { repeats } from '../../../support/random.ts'

type NearFacts = ReturnType<NearDuplicates['facts']>

/** A row with some keys that are no names, its name and the domain that goes with it, and its cell. */
interface Person {
  readonly keys: readonly (readonly [likeness: number, text: string])[]
  readonly domain?: string
  readonly name: string
  readonly cell: string
}

const byName = likenesses.indexOf('name')
const byDomain = likenesses.indexOf('name_and_domain')
const sameName = (name: string) => name.toLowerCase()
const nameAndDomain = ({ name, domain = '' }: Person) => domain && name && `${sameName(name)} ${domain}`

function factsOf(people: readonly (Person & { readonly at: number })[]): NearFacts {
  const found = new NearDuplicates(['Email'])
  for (const person of people) {
    const { keys, name, cell, at } = person
    const all = keys.map(([likeness, text]) => textFingerprint(text, likeness))
    if (nameAndDomain(person) !== '') all.push(textFingerprint(nameAndDomain(person), byDomain))
    if (name !== '') all.push(textFingerprint(sameName(name), byName))
    found.add({ source: 'a.csv', row: at, line: at + 1 }, name, all, [cell])
  }
  return found.facts()
}

/** The groups as sorted lists of rows. */
const groupsIn = ({ first }: NearFacts) =>
  first
    .map(({ rows }) => rows.map(({ row }) => row).sort((a, b) => a - b))
    .sort((a, b) => Number(a[0]) - Number(b[0]))

const areAlike = (one: Person, other: Person) =>
  one.keys.some(([a, x]) => other.keys.some(([b, y]) => a === b && x === y)) ||
  (nameAndDomain(one) !== '' && nameAndDomain(one) === nameAndDomain(other)) ||
  (sameName(one.name) === sameName(other.name) && one.name !== other.name)

/** The same by comparing all pairs. */
function groupsByPairs(people: readonly Person[]): number[][] {
  const group = people.map((_, at) => at)
  for (const [a, one] of people.entries())
    for (const [b, other] of people.entries())
      if (areAlike(one, other)) {
        const [from, to] = [Math.max(group[a] ?? 0, group[b] ?? 0), Math.min(group[a] ?? 0, group[b] ?? 0)]
        for (const [at, of] of group.entries()) if (of === from) group[at] = to
      }
  const groups = people.map((_, at) => [...group.keys()].filter(each => group[each] === at))
  return groups.filter(({ length }) => length > 1)
}

const person: fc.Arbitrary<Person> = fc.record({
  keys: fc.array(fc.tuple(fc.nat(1), fc.constantFrom('a', 'b', 'c', 'd', 'e')), { maxLength: 2 }),
  domain: fc.constantFrom('', 'x.de', 'y.de', 'z.de'),
  name: fc.constantFrom('', 'Ann', 'ann', 'ANN', 'Bob', 'bob', 'Cy', 'Di', 'Eve'),
  cell: fc.constantFrom('', 'x', 'y'),
})

const ann = { name: 'Ann', keys: [[0, 'a']], cell: 'a' } as const
const at = <T>(people: readonly T[]) => people.map((each, number) => ({ ...each, at: number }))

describe('near duplicates', () => {
  it('near duplicates are the groups that comparing all pairs finds, in any order of rows', () => {
    fc.assert(
      fc.property(fc.array(person, { maxLength: 10 }), fc.func(fc.nat()), (people, order) => {
        const rows = at(people)
        const facts = factsOf(rows)
        const expected = groupsByPairs(people)
        expect(groupsIn(facts)).toEqual(expected)
        expect([facts.groups, facts.rows]).toEqual([expected.length, expected.flat().length])
        expect(groupsIn(factsOf(rows.toSorted((a, b) => order(a) - order(b))))).toEqual(expected)
      }),
      { numRuns: repeats(300) },
    )
  })

  it('near duplicates are told by what they share, with names and places', () => {
    const facts = factsOf(at([ann, { ...ann, name: 'ANN' }, { ...ann, name: 'Bo', keys: [[1, 'x']] }]))
    expect(facts).toMatchObject({
      groups: 1,
      rows: 2,
      first: [
        { by: ['email', 'name'], size: 2, rows: [{ row: 0 }, { row: 1, line: 2 }], names: ['Ann', 'ANN'] },
      ],
    })
  })

  it('near duplicates share a name and its domain, whichever of the rows with the name have it', () => {
    const from = (domain: string, name = 'Ann') => ({ name, domain, keys: [], cell: '' })
    const grouped = (...people: Person[]) =>
      factsOf(at(people)).first.map(({ by, rows }) => [by, rows.map(({ row }) => row)])
    const shared = ['name_and_domain']
    expect(grouped(from('x.de'), from('x.de'))).toEqual([[shared, [0, 1]]])
    expect(grouped(from('x.de'), from('y.de'), from(''), from('y.de'))).toEqual([[shared, [1, 3]]])
    expect(grouped(from(''), from('x.de'), from('x.de'), from('x.de', 'Bo'))).toEqual([[shared, [1, 2]]])
    expect(grouped(from('x.de'), from('y.de'), from('y.de'), from('x.de'))).toEqual([
      [shared, [0, 3]],
      [shared, [1, 2]],
    ])
  })

  it('near duplicates have a key if a column is the same in all rows of a group', () => {
    const group = (keys: Person['keys'], ...cells: string[]) => cells.map(cell => ({ keys, name: '', cell }))
    const one = group([[0, 'a']], 'a', 'a')
    expect(factsOf(at(one)).key).toEqual({ column: 'Email', groups: 1 })
    expect(factsOf(at([...one, ...group([[0, 'b']], 'b', 'B')])).key).toEqual({ column: 'Email', groups: 1 })
    for (const cells of [
      ['a', 'A'],
      ['', ''],
      ['a', 'a', ''],
    ])
      expect(factsOf(at(group([[0, 'a']], ...cells))).key).toBeUndefined()
  })

  it('near duplicates are told as the first 200 groups, with ten rows each', () => {
    const people = Array.from({ length: 5000 }, (_, n) => ({
      ...ann,
      name: '',
      keys: [[0, `${n % 250}`]] as const,
    }))
    const { groups, rows, first } = factsOf(at(people))
    expect([groups, rows, first.length]).toEqual([250, 5000, 200])
    expect(first[0]).toMatchObject({ size: 20, rows: { length: 10 } })
  })

  it('near duplicates name an earlier row that a row is like, and what is surest of what they share', () => {
    const found = new NearDuplicates([])
    const add = (row: number, ...texts: (readonly [number, string])[]) => {
      const place = { source: row < 3 ? 'a.csv' : 'b.csv', row, line: row + 1 }
      const keys = texts.map(([of, text]) => textFingerprint(text, of))
      return found.add(place, '', keys, [])
    }
    expect(add(1, [0, 'a'], [0, 'a'])).toBeUndefined()
    expect(add(2, [1, '+4930'])).toBeUndefined()
    expect(add(3, [0, 'a'], [1, '+4930'])).toEqual({
      source: 'a.csv',
      row: 1,
      line: 2,
      shares: 'the same e-mail',
    })
    expect(add(4, [1, '+4930'])).toEqual({
      source: 'a.csv',
      row: 2,
      line: 3,
      shares: 'the same phone number',
    })
  })
})
