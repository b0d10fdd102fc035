import { describe, expect, it } from 'vitest'
import { sealing } from '../../../../src/features/log-tools/sealing.ts'
import { unseal } from '../../../../src/store/files/checksum.ts'

describe('sealing', () => {
  it('a chain is made anew for each run, and the number of its lines with it', () => {
    const seal = sealing()
    const lines = [
      { run: 'R1', rowlift: '0' },
      { run: 'R1', key: 'a', writer: undefined },
      { run: 'R2', rowlift: '0' },
      { run: 'R1', key: 'late' },
      { run: 'R1', key: 'b', writer: 'R2' },
      { run: 'R2', ended: {}, lines: 9 },
      { run: 'R0', key: 'without an opening' },
    ].map(line => unseal(Buffer.from(seal(line).trimEnd())))
    const crcs = lines.map(line => line?.crc)
    expect(lines.map(line => crcs.indexOf(line?.chain))).toEqual([-1, 0, 1, 1, 2, 4, -1])
    expect(lines.map(line => line?.chain === undefined)).toEqual([...Array(6).fill(false), true])
    expect(JSON.parse(lines[5]?.json ?? '').lines).toBe(3)
  })
})
