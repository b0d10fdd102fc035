import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { spilledLines } from '../../../../src/store/files/spilled-lines.ts'

const texts = fc.string({ unit: 'binary' }).map(text => JSON.stringify(text))

const isOurs = (name: string) => /^rowlift-[0-9A-Z]{26}$/.test(name)

describe('lines that do not fit into memory', () => {
  it('come back in their order, several times, wherever they were', () => {
    fc.assert(
      fc.property(fc.array(texts), fc.nat(200), (lines, most) => {
        const spilled = spilledLines(most)
        for (const line of lines) spilled.add(line)
        expect(spilled.count).toBe(lines.length)
        expect([...spilled.all()].flat()).toEqual(lines)
        expect([...spilled.all()].flat()).toEqual(lines)
        spilled.clear()
        expect([spilled.count, [...spilled.all()]]).toEqual([0, []])
      }),
    )
  })

  it('leave no file, and come in parts', () => {
    const before = readdirSync(tmpdir()).filter(isOurs)
    const spilled = spilledLines(1_000_000)
    for (let at = 0; at < 120_000; at += 1) spilled.add(`${at} ${'é'.repeat(20)}`)
    expect(readdirSync(tmpdir()).filter(isOurs)).toEqual(before)
    const parts = [...spilled.all()]
    expect(parts.length).toBeGreaterThan(2)
    expect(parts.flat()).toHaveLength(120_000)
    expect(parts.flat()[99_999]).toBe(`99999 ${'é'.repeat(20)}`)
    spilled.clear()
  })
})
