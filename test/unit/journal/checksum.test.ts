import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hasChecksum, intactIn, isIntact, restorations, withChecksum } from '../../../src/journal/checksum.ts'

const lineOf = (key: string) => withChecksum(JSON.stringify({ run: 'R1', key, status: 'created' }))
const bytesOf = (key: string) => Buffer.from(lineOf(key))
const key = fc.string({ unit: 'grapheme', maxLength: 40 })

/** A copy of a line with one byte changed. */
const damagedLine = fc.tuple(key, fc.nat(), fc.integer({ min: 1, max: 255 })).map(([key, place, change]) => {
  const whole = bytesOf(key)
  const damaged = Buffer.from(whole)
  const at = place % whole.length
  damaged[at] = (damaged[at] ?? 0) ^ change
  return { whole, damaged, at }
})

const texts = (buffers: Iterable<Buffer>) => [...buffers].map(String)

describe('the checksum of a line', () => {
  it('is the CRC-32 of its UTF-8 text, as its last field, in eight digits', () => {
    expect(withChecksum('{"run":"Ünï"}')).toBe(
      `{"run":"Ünï","crc32":"${crc32('{"run":"Ünï"').toString(16).padStart(8, '0')}"}`,
    )
    const short = Array.from({ length: 5_000 }, (_, at) => lineOf(String(at))).filter(line =>
      line.includes('"crc32":"0'),
    )
    expect(short.length).toBeGreaterThan(100)
    for (const line of short) expect(line).toMatch(/"crc32":"[0-9a-f]{8}"\}$/)
    expect(short.every(line => isIntact(Buffer.from(line)))).toBe(true)
  })

  it('is right as long as no byte of the line changes', () => {
    fc.assert(fc.property(key, key => isIntact(bytesOf(key)) === true))
    fc.assert(fc.property(damagedLine, ({ damaged }) => isIntact(damaged) !== true))
  })

  it('is missing on lines of earlier versions, and no other text stands for it', () => {
    for (const line of ['', '{}', '{"run":"R1"}', '{"run":"R1","crc32":"12345678"} ', '{"crc32":"12345678"}'])
      expect(isIntact(Buffer.from(line))).toBeUndefined()
    expect(isIntact(Buffer.from('{"run":"R1","crc32":"12345678"}'))).toBe(false)
    expect(isIntact(Buffer.from(lineOf('a').replace('"}', '" }')))).toBeUndefined()
  })

  it('is found anywhere in a text', () => {
    expect(hasChecksum(Buffer.from(`half a li${lineOf('a').slice(10)}\0\0`))).toBe(true)
    expect([hasChecksum(bytesOf('a')), hasChecksum(bytesOf('a'))]).toEqual([true, true])
    for (const text of ['', '{"run":"R1"}', lineOf('a').slice(0, -1), lineOf('a').replace('crc32', 'crc33')])
      expect(hasChecksum(Buffer.from(text))).toBe(false)
  })
})

describe('whole lines', () => {
  it('are found between torn ones, with what is left over', () => {
    const [a, b] = [lineOf('a'), lineOf('b')]
    const found = intactIn(Buffer.from(`${a.slice(0, 20)}${a}\0\0${b}{"run`))
    expect(texts(found.lines)).toEqual([a, b])
    expect(String(found.rest)).toBe(`${a.slice(0, 20)}\0\0{"run`)
  })

  it('are none where a checksum is wrong or the beginning is missing', () => {
    const a = lineOf('a')
    for (const text of [
      '',
      'x',
      a.replace('created', 'creates'),
      a.slice(1),
      a.replace('{"run":', '{"Run":'),
    ]) {
      const { lines, rest } = intactIn(Buffer.from(text))
      expect([lines, String(rest)]).toEqual([[], text])
    }
    const damaged = a.replace('created', 'creates')
    const { lines, rest } = intactIn(Buffer.from(damaged + a))
    expect([texts(lines), String(rest)]).toEqual([[a], damaged])
  })

  it('may quote another one', () => {
    const outer = lineOf(lineOf('a'))
    expect(texts(intactIn(Buffer.from(outer)).lines)).toEqual([outer])
  })
})

describe('a line with one changed byte', () => {
  it('is restored, wherever the byte is', () => {
    fc.assert(
      fc.property(damagedLine, ({ whole, damaged }) => {
        expect(texts(restorations(damaged))).toContain(String(whole))
      }),
    )
    const whole = bytesOf('ann')
    for (const [at] of whole.entries()) {
      const damaged = Buffer.from(whole)
      damaged[at] = 0
      expect(texts(restorations(damaged))).toContain(String(whole))
    }
  })

  it('is restored to lines with right checksums only, one byte away from it', () => {
    fc.assert(
      fc.property(damagedLine, ({ damaged }) => {
        for (const line of restorations(damaged)) {
          expect(isIntact(line)).toBe(true)
          expect([...line].filter((byte, at) => byte !== damaged[at])).toHaveLength(1)
        }
      }),
    )
  })

  it('is not restored where more than a byte was changed', () => {
    for (const text of ['', '{}', 'x'.repeat(200), lineOf('ann').replace('created', 'crumbly')])
      expect(texts(restorations(Buffer.from(text)))).toEqual([])
  })
})
