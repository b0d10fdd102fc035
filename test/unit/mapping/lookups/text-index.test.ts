import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Indexed, TextIndex } from '../../../../src/mapping/lookups/table.ts'
import { itLong } from '../../../support/long.ts'

type Entry = readonly [text: string, value: number]

/** An index of texts and their values; the places count from 1. */
function indexOf(...entries: readonly Entry[]): TextIndex {
  const index = new TextIndex()
  entries.forEach(([text, value], at) => {
    index.add(text, value, at + 1)
  })
  return index
}

describe('index of texts', () => {
  it('an index of texts finds nothing under a text that it does not have, however near', () => {
    expect(indexOf().find('a')).toBeUndefined()
    const index = indexOf(['abc', 1], ['', 2])
    for (const text of ['ab', 'abcd', 'a bc', '=abc', '~abc', 'äbc']) expect(index.find(text)).toBeUndefined()
    expect(index.find('')).toMatchObject({ type: 'one', value: 2 })
  })

  it('an index of texts finds what is equal but for case and surrounding blanks', () => {
    const index = indexOf([' Ada@Example.com', 1], ['ÄRGER', 2])
    expect(index.find('ada@example.COM\t')).toMatchObject({ type: 'one', value: 1 })
    expect(index.find('ärger')).toMatchObject({ type: 'one', value: 2 })
  })

  it('an index of texts prefers an exact match to similar texts', () => {
    const index = indexOf(['Acme', 1], ['ACME', 2], ['acme ', 3])
    expect(index.find('Acme')).toMatchObject({ type: 'one', value: 1 })
    expect(index.find('ACME')).toMatchObject({ type: 'one', value: 2 })
    expect(index.find('acme ')).toMatchObject({ type: 'one', value: 3 })
    expect(index.find('acme')).toEqual({ type: 'several', places: [1, 2] })
  })

  it('an index of texts tells of several values that differ, with the first two places', () => {
    const index = indexOf(['a', 1], ['a', 1], ['a', 2], ['a', 3])
    expect(index.find('a')).toEqual({ type: 'several', places: [1, 3] })
    expect(index.find('A')).toEqual({ type: 'several', places: [1, 3] })
  })

  it('an index of texts takes equal values for one, however often and however they are written', () => {
    const index = indexOf(['a', 0], ['A', 0], [' a', 0], ['a', 0])
    for (const text of ['a', 'A', '  A']) expect(index.find(text)).toMatchObject({ type: 'one', value: 0 })
  })

  it('an index of texts finds texts of any length and sign', () => {
    const long = 'x'.repeat(1_000_000)
    const index = indexOf([long, 1], [`${long}y`, 2], ['\0', 3], ['__proto__', 4])
    expect(index.find(long.toUpperCase())).toMatchObject({ type: 'one', value: 1 })
    expect(index.find(`${long}y`)).toMatchObject({ type: 'one', value: 2 })
    expect(index.find('\0')).toMatchObject({ type: 'one', value: 3 })
    expect(index.find('__PROTO__')).toMatchObject({ type: 'one', value: 4 })
  })

  itLong('an index of texts keeps a hundred thousand apart', () => {
    const index = new TextIndex()
    for (let at = 0; at < 100_000; at++) index.add(`Key ${at}`, at, at)
    for (let at = 0; at < 100_000; at += 997)
      expect(index.find(`KEY ${at}`)).toMatchObject({ type: 'one', value: at })
    expect(index.find('Key 100000')).toBeUndefined()
  })

  it('an index of texts answers like a naive list of all entries', () => {
    const folded = (text: string) => text.trim().toLowerCase()
    const under = (entries: readonly Entry[], isMeant: (text: string) => boolean): Indexed | undefined => {
      const meant = entries.flatMap(([text, value], at) => (isMeant(text) ? [{ value, place: at + 1 }] : []))
      const [first] = meant
      if (first === undefined) return undefined
      const rival = meant.find(({ value }) => value !== first.value)
      if (rival === undefined) return { type: 'one', ...first }
      return { type: 'several', places: [first.place, rival.place] }
    }
    const text = fc.oneof(
      fc.string({ unit: fc.constantFrom('a', 'A', 'b', ' ', 'ä'), maxLength: 3 }),
      fc.string(),
    )
    const entry = fc.tuple(text, fc.nat(3))
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 30 }), fc.array(text), (entries, others) => {
        const index = indexOf(...entries)
        for (const asked of [...entries.map(([text]) => text), ...others])
          expect(index.find(asked)).toEqual(
            under(entries, text => text === asked) ?? under(entries, text => folded(text) === folded(asked)),
          )
      }),
    )
  })

  it('a value that is gone is not found, and its text has room for another one', () => {
    const index = indexOf(['a', 1], ['A', 2])
    index.gone.add(1)
    expect([index.find('a')?.type, index.find(' A')]).toEqual([undefined, undefined]) // what was ambiguous stays unusable
    index.add('a', 3, 9)
    expect([index.find('a'), index.find('A')]).toEqual([
      { type: 'one', value: 3, place: 9 },
      expect.objectContaining({ value: 2 }),
    ])
  })
})
