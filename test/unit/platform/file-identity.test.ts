import { describe, expect, it } from 'vitest'
import { isSameFile } from '../../../src/platform/file-identity.ts'

const file = { dev: 7n, ino: 2n ** 53n }

describe('identity of an open file', () => {
  it('an open file is the one at a name if number and device are the same', () => {
    expect(isSameFile(file, { ...file }, 'linux')).toBe(true)
    expect(isSameFile(file, { ...file, dev: 8n }, 'linux')).toBe(false)
    expect(isSameFile(file, { ...file, ino: 2n ** 53n + 1n }, 'linux')).toBe(false)
  })

  it('an open file on Windows is known by its number alone', () => {
    expect(isSameFile({ ...file, dev: 0n }, file, 'win32')).toBe(true)
    expect(isSameFile({ ...file, ino: 2n ** 53n + 1n }, file, 'win32')).toBe(false)
  })
})
