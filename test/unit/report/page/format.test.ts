import { describe, expect, it } from 'vitest'
import { fold, showTime } from '../../../../src/report/page/format.ts'

describe('the text that the search compares', () => {
  it.each([
    ['José-7', 'jose-7'],
    ['JOSÉ', 'jose'],
    ['Ｗｉｄｅ', 'wide'],
    ['Straße', 'straße'],
  ])('has no accents and no capitals: %s', (text, folded) => {
    expect(fold(text)).toBe(folded)
  })
})

describe('a time', () => {
  it('is shown in UTC, and text that is no time as it is', () => {
    expect(showTime('2026-11-21T08:12:07.123Z')).toBe('21 Nov 2026, 08:12:07')
    expect(showTime('<b>')).toBe('<b>')
  })
})
