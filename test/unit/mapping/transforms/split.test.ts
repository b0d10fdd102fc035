import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { made } from '../../../support/mappings.ts'

const parts = (split: string, cell: string) => made({ split }, cell)

describe('cell that is split', () => {
  it('a split cell returns its parts, trimmed, the empty ones left out', () => {
    expect(parts(';', ' a; b;;c ;')).toEqual(['a', 'b', 'c'])
    expect(parts(' ::: ', 'a ::: b')).toEqual(['a', 'b'])
  })

  it('a split cell is split at each of several separators, the longest first', () => {
    expect(made({ split: [';', ','] }, 'a; b, c;;"d, e" , f')).toEqual(['a', 'b', 'c', 'd, e', 'f'])
    expect(made({ split: [',', ', or '] }, 'a, or b,c')).toEqual(['a', 'b', 'c'])
    expect(made({ split: ['.', '$'] }, 'a.b$c')).toEqual(['a', 'b', 'c'])
  })

  it('a split cell may be written as a list in brackets, with or without items', () => {
    expect(parts(',', '[A, B]')).toEqual(['A', 'B'])
    expect(parts(', ', '[A]')).toEqual(['A'])
    expect(parts(',', '[]')).toBeUndefined()
    expect(parts(',', '[A, ]')).toEqual(['A'])
  })

  it('a split cell may be a JSON array, whatever separator is given', () => {
    expect(parts(';', '["a, b", "c"]')).toEqual(['a, b', 'c'])
    expect(parts(',', '[12345678901234567890, 1.50]')).toEqual(['12345678901234567890', '1.50'])
    expect(parts(',', '"C:\\temp","x"')).toEqual(['C:\\temp', 'x'])
    expect(parts(',', '[1, 2.5, true, null]')).toEqual(['1', '2.5', 'true'])
  })

  it('a split cell keeps brackets that do not enclose the whole', () => {
    expect(parts(',', '[a] b, [c]')).toEqual(['[a] b', '[c]'])
    expect(parts(',', '[a], b')).toEqual(['[a]', 'b'])
  })

  it('a split cell may have items in quotes, in which the separator is a plain character', () => {
    expect(parts(',', '"VIP","Blog"')).toEqual(['VIP', 'Blog'])
    expect(parts(', ', '"VIP, gold", Blog')).toEqual(['VIP, gold', 'Blog'])
    expect(parts(',', '"VIP" , "Blog"')).toEqual(['VIP', 'Blog'])
    expect(parts(' ::: ', '"a ::: b" ::: c')).toEqual(['a ::: b', 'c'])
    expect(parts(',', '["A, B", C]')).toEqual(['A, B', 'C'])
  })

  it('a split cell has quotes inside items doubled or with a backslash before them', () => {
    expect(parts(',', '"5"" pipe","say \\"hi\\""')).toEqual(['5" pipe', 'say "hi"'])
  })

  it('a split cell keeps quotes that do not enclose an item', () => {
    expect(parts(',', '5" pipe, 6" pipe')).toEqual(['5" pipe', '6" pipe'])
    expect(parts(',', '"a" b, c')).toEqual(['"a" b', 'c'])
    expect(parts(',', '"a, b')).toEqual(['"a', 'b'])
  })

  it('a split cell loses nothing but separators, blanks, quotes, backslashes and brackets', () => {
    const bare = (text: string) => text.replaceAll(/[\s,"\\[\]]/g, '')
    const cells = fc.stringMatching(/^[a-c ,"\\[\]]{0,12}$/).filter(cell => !/null/.test(cell))
    fc.assert(
      fc.property(cells, cell => {
        expect(bare([parts(',', cell) ?? ''].flat().join(''))).toBe(bare(cell))
      }),
    )
  })
})
