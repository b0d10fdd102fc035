import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hasChecksum, intactIn, isIntact, withChecksum } from '../../../../src/store/files/checksum.ts'
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

const texts = (buffers: Iterable<Buffer>) => [...buffers].map(String)

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

describe('whole lines', () => {
  it('whole lines are found between torn ones, with what is left over', () => {
    const [a, b] = [lineOf('a'), lineOf('b')]
    const found = intactIn(Buffer.from(`${a.slice(0, 20)}${a}\0\0${b}{"run`))
    expect(texts(found.lines)).toEqual([a, b])
    expect(String(found.rest)).toBe(`${a.slice(0, 20)}\0\0{"run`)
  })

  it('whole lines need a right checksum and a beginning', () => {
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

  it('whole lines may quote another one', () => {
    const outer = lineOf(lineOf('a'))
    expect(texts(intactIn(Buffer.from(outer)).lines)).toEqual([outer])
  })
})
