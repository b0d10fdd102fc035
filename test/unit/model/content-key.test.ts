import { describe, expect, it } from 'vitest'
import {
  contentKey,
  isContentKey,
  isUnrepaired,
  rejectedName,
  replacedName,
  replacesOf,
} from '../../../src/model/content-key.ts'

const [hash, other] = ['0123456789abcdef', 'fedcba9876543210']

describe('name of a refused row', () => {
  it('the name of a refused row is made of its content, and is its key if that is made of content', () => {
    expect(rejectedName({ key: 'bob', hash })).toBe(`sha256:${hash}#1`)
    expect(rejectedName({ key: contentKey(hash, 2), hash })).toBe(`sha256:${hash}#2`)
    expect(rejectedName({ key: contentKey(other, 2), hash })).toBe(`sha256:${other}#2`)
  })

  it.each([
    [contentKey(hash), hash],
    [contentKey(hash, 2), `${hash}#2`],
    [contentKey(hash, 11), `${hash}#11`],
    ['bob', 'key:bob'],
    [hash, `key:${hash}`],
    ['a#1', 'key:a#1'],
  ])('the name of a refused row: %s is %s in the line of its replacement', (name, replaces) => {
    expect(replacesOf(name)).toBe(replaces)
    expect(replacedName({ key: 'any', hash: other, replaces })).toBe(name)
  })

  it('the name of a refused row is that of the row itself if it replaces none', () => {
    expect(replacedName({ key: 'bob', hash })).toBe(contentKey(hash))
  })
})

describe('row', () => {
  it('a row is unrepaired while it reads as the row that it replaces', () => {
    expect(isUnrepaired({ key: 'bob', hash })).toBe(true)
    expect(isUnrepaired({ key: 'bob', hash, replaces: hash })).toBe(true)
    expect(isUnrepaired({ key: 'bob', hash, replaces: `${hash}#2` })).toBe(true)
    expect(isUnrepaired({ key: 'bob', hash: other, replaces: hash })).toBe(false)
  })

  it('a row has a key of content only if that has its whole form', () => {
    const keys = [
      contentKey(hash),
      contentKey(hash, 12),
      `sha256:${hash}`,
      `sha256:${hash}#0`,
      `x${contentKey(hash)}`,
    ]
    expect(keys.map(isContentKey)).toEqual([true, true, false, false, false])
  })
})
