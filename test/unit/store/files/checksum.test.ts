import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Chain, hasChecksum, unseal, withChecksum } from '../../../../src/store/files/checksum.ts'
import { wellFormedText } from '../../../support/any-text.ts'

const lineOf = (key: string) => withChecksum(JSON.stringify({ run: 'R1', key, status: 'created' }))
const bytesOf = (key: string) => Buffer.from(lineOf(key))
const key = wellFormedText({ maxLength: 40 })

/** A copy of a line with one byte changed. */
const damagedLine = fc.tuple(key, fc.nat(), fc.integer({ min: 1, max: 255 })).map(([key, place, change]) => {
  const whole = bytesOf(key)
  const damaged = Buffer.from(whole)
  const at = place % whole.length
  damaged[at] = (damaged[at] ?? 0) ^ change
  return { whole, damaged, at }
})

const isIntact = (line: Buffer) => unseal(line) !== undefined

describe('checksum of a line', () => {
  it('the checksum of a line is the CRC-32 of its UTF-8 text, as its last field, in eight digits', () => {
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

  it('the checksum of a line is right as long as no byte of the line changes', () => {
    fc.assert(fc.property(key, key => isIntact(bytesOf(key))))
    fc.assert(fc.property(damagedLine, ({ damaged }) => !isIntact(damaged)))
  })

  it('the checksum of a line is wrong or missing on any other text', () => {
    for (const line of ['', '{}', '{"run":"R1"}', '{"run":"R1","crc32":"12345678"} ', '{"crc32":"12345678"}'])
      expect(isIntact(Buffer.from(line))).toBe(false)
    expect(isIntact(Buffer.from('{"run":"R1","crc32":"12345678"}'))).toBe(false)
    expect(isIntact(Buffer.from(lineOf('a').replace('"}', '" }')))).toBe(false)
  })

  it('the checksum of a line is found anywhere in a text', () => {
    expect(hasChecksum(Buffer.from(`half a li${lineOf('a').slice(10)}\0\0`))).toBe(true)
    expect([hasChecksum(bytesOf('a')), hasChecksum(bytesOf('a'))]).toEqual([true, true])
    for (const text of ['', '{"run":"R1"}', lineOf('a').slice(0, -1), lineOf('a').replace('crc32', 'crc33')])
      expect(hasChecksum(Buffer.from(text))).toBe(false)
  })
})

describe('chain of lines', () => {
  it('a chain of lines has in each the checksum of the line before it', () => {
    const chain = new Chain(0x1234)
    const [a = '', b = ''] = ['{"run":"R1"}', '{"run":"R1","key":"é"}'].map(line => chain.add(line))
    expect(a).toMatch(/^\{"run":"R1","chain":"00001234","crc32":"[0-9a-f]{8}"\}\n$/)
    const [first, second] = [a, b].map(line => unseal(Buffer.from(line.trimEnd())))
    expect(first).toEqual({ json: '{"run":"R1"}', chain: 0x1234, crc: expect.any(Number) })
    expect(second).toEqual({ json: '{"run":"R1","key":"é"}', chain: first?.crc, crc: chain.crc })
    expect(chain.lines).toBe(2)
  })
})
