import { describe, expect, it } from 'vitest'
import { parseArgs } from './args.ts'

const known = ['a', 'b', 'c'] as const

describe('words of `npm run bench`', () => {
  it('words of `npm run bench` name parts, or all of them if there are none', () => {
    expect(parseArgs(['c', 'a'], known)).toEqual({ letters: ['a', 'c'], quick: false })
    expect(parseArgs(['--quick'], known)).toEqual({ letters: ['a', 'b', 'c'], quick: true })
  })

  it('words of `npm run bench` must be known', () => {
    expect(() => parseArgs(['a', 'x'], known)).toThrow('unknown word "x"; say which parts to run, of a, b, c')
    expect(() => parseArgs(['--fast'], known)).toThrow('--quick')
  })
})
