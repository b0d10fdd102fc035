import { expect, it } from 'vitest'
import { describeError } from '../../../src/output/words.ts'
import { LocatedYaml } from '../../../src/settings/located-yaml.ts'

function faultOf(text: string): string {
  try {
    new LocatedYaml('a.yaml', text)
  } catch (error) {
    return describeError(error)
  }
  return 'none'
}

it.each([
  ['key: !mine { from: A }', 'a.yaml:1:6: Unresolved tag: !mine'],
  ['key: 1\nlist:\n  - !!python/object x', 'a.yaml:3:5: Unresolved tag: tag:yaml.org,2002:python/object'],
  ['key: .nan', 'a.yaml:1:6: .nan is no number that JSON has'],
  ['key: [-.inf]', 'a.yaml:1:7: -.inf is no number that JSON has'],
])('a YAML file is refused for what JSON has not, with its place: %s', (text, fault) => {
  expect(faultOf(text)).toBe(fault)
})

it('a YAML file may name the types that JSON has', () => {
  expect(faultOf('a: !!str 1\nb: !!int 2\nc: !!map {}\nd: ! 3')).toBe('none')
})

it.each([
  ['brackets', (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`],
  ['braces', (levels: number) => `${'{a: '.repeat(levels)}1${'}'.repeat(levels)}`],
  ['dashes', (levels: number) => `${'- '.repeat(levels)}1`],
])('a YAML file of nested %s is refused with a sentence, however many there are', (_, nested) => {
  for (const levels of [200, 1_000, 5_000, 50_000])
    expect(faultOf(nested(levels))).toMatch(/^a\.yaml:1:\d+: has more than .* or 100 levels/)
})
