import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import jsonata from 'jsonata'
import { describe, expect, it } from 'vitest'
import { LookupTable } from '../../../src/mapping/lookups/table.ts'
import { problem } from '../../../src/model/problem.ts'
import { describeProblem } from '../../../src/output/words.ts'
import { anyText } from '../../support/any-text.ts'
import { cases, itLong } from '../../support/long.ts'
import { bodyOf, errorsOf, faultsIn, made, mapped, mappingOf, rowOf } from '../../support/mappings.ts'
import { repeats } from '../../support/random.ts'

type Cells = Readonly<Record<string, unknown>>

/** What an expression makes of a row. */
const given = (expr: string, cells: Cells = {}, more: object = {}): unknown =>
  (bodyOf({ x: { expr, ...more }, here: '{{Always}}' }, { Always: 'yes', ...cells }) as { x?: unknown }).x

/** The words of the one thing that is wrong with what an expression makes of a row. */
function refusal(expr: string, cells: Cells = {}): string {
  const [error, ...others] = errorsOf({ x: { expr }, here: '{{Always}}' }, { Always: 'yes', ...cells })
  expect(others).toEqual([])
  expect(error?.path).toBe('x')
  return error === undefined ? '' : describeProblem(error)
}

describe('local times in expressions', () => {
  const local = '2026-10-05T09:00:00'
  const at = (time: string) => Date.parse(time)

  it('$toMillis reads a local time in the zone of its rule, else in UTC', () => {
    const whens: [text: string, utc: string, berlin: string][] = [
      [local, `${local}Z`, `${local}+02:00`],
      [`${local}.250`, `${local}.250Z`, `${local}.250+02:00`],
      ['2026-01-05T09:00:00', '2026-01-05T09:00:00Z', '2026-01-05T09:00:00+01:00'],
      ['2026-10-05', '2026-10-05T00:00:00Z', '2026-10-05T00:00:00+02:00'],
      [`${local}Z`, `${local}Z`, `${local}Z`],
      [`${local}-0500`, `${local}-05:00`, `${local}-05:00`],
    ]
    for (const [text, utc, berlin] of whens) {
      expect(given('$toMillis(When)', { When: text })).toBe(at(utc))
      expect(given('$toMillis(When)', { When: text }, { zone: 'Europe/Berlin' })).toBe(at(berlin))
    }
    const expr = '$toMillis(When, "[D01].[M01].[Y0001] [H01]:[m01]")'
    expect(given(expr, { When: '05.10.2026 09:00' })).toBe(at(`${local}Z`))
    expect(given(expr, { When: '05.10.2026 09:00' }, { zone: 'Europe/Berlin' })).toBe(at(`${local}+02:00`))
    const withOffset = '$toMillis(When, "[Y0001]-[M01]-[D01] [H01]:[m01][Z]")'
    const when = { When: '2026-10-05 09:00+05:00' }
    expect(given(withOffset, when, { zone: 'Europe/Berlin' })).toBe(at(`${local}+05:00`))
  })

  it('$toMillis has no result without a text, and names a text that it cannot read', () => {
    expect(given('$toMillis(Nothing)')).toBe(undefined)
    expect(given('When.$toMillis()', { When: `${local}Z` })).toBe(at(`${local}Z`))
    expect(refusal('$toMillis(When)', { When: 'soon' })).toMatch(/Given "?soon"?(\W|$)/)
    expect(refusal('$toMillis(When)', { When: '2026-13-05T09:00:00' })).toContain('not a finite number')
  })

  it('a time that the zone skips makes the row invalid', () => {
    const body = { x: { expr: '$toMillis(When)', zone: 'Europe/Berlin' } }
    const [error] = errorsOf(body, { When: '2026-03-29T02:30:00' })
    expect(error && describeProblem(error)).toContain('does not exist in Europe/Berlin')
  })

  it('the zone of a rule is that of $date and $day without their own', () => {
    const zone = { zone: 'Europe/Berlin' }
    expect(given('$date(When)', { When: local }, zone)).toBe('2026-10-05T07:00:00Z')
    expect(given('$date(When, "iso", "UTC")', { When: local }, zone)).toBe('2026-10-05T09:00:00Z')
    expect(given('$date(When)', { When: local })).toBe(local)
    expect(given('$day(When)', { When: '2026-10-05T23:30:00Z' }, zone)).toBe('2026-10-06T00:00:00')
  })
})

describe('expression', () => {
  it('an expression keeps the type of its result', () => {
    expect(given('1 + 1.5')).toBe(2.5)
    expect(given('0')).toBe(0)
    expect(given('A = "a"', { A: 'a' })).toBe(true)
    expect(given('A = 1', { A: '1' })).toBe(false)
    expect(given('A', { A: '007' })).toBe('007')
    expect(given('[1, "b", true]')).toEqual([1, 'b', true])
    expect(given('{"a": {"b": [A]}}', { A: 'c' })).toEqual({ a: { b: ['c'] } })
    expect(given('A.b[1]', { A: { b: [1, { c: 2 }] } })).toEqual({ c: 2 })
  })

  it('an expression without a result leaves its field out', () => {
    for (const expr of ['Nothing', 'null', '""', '"  "', '[]', 'A', '["", null]'])
      expect(mapped({ x: { expr }, here: '{{Always}}' }, { A: ' ', Always: 'yes' })).toEqual({
        body: { here: 'yes' },
      })
  })

  it('an expression finds cells trimmed, and those of a repeated column as a list', () => {
    expect(given('A & "|" & `First Name`', { A: ' a ', 'First Name': '\tAda ' })).toBe('a|Ada')
    expect(given('$count(L)', { L: [' a', 'b '] })).toBe(2)
    expect(given('$join(L, "+")', { L: [' a', 'b '] })).toBe('a+b')
  })

  it('an expression finds words that stand for empty cells empty', () => {
    const mapping = mappingOf({ x: { expr: 'A ? A : "none"' } }, { empty_values: ['N/A'] })
    expect(mapping.map(rowOf({ A: ' N/A ' }))).toEqual({ body: { x: 'none' } })
    expect(mapping.map(rowOf({ A: 'n/a' }))).toEqual({ body: { x: 'n/a' } })
  })

  it('an expression sees the whole row, which it cannot change', () => {
    const cells = { A: 'a', __proto__x: 'b' }
    const body = { first: { expr: '$ ~> |$|{"A": "changed"}|' }, later: { expr: 'A' }, whole: { expr: '$$' } }
    expect(bodyOf(body, cells)).toEqual({
      first: { ...cells, A: 'changed' },
      later: 'a',
      whole: cells,
    })
    for (const expr of ['constructor', 'A.constructor', 'toString', '$lookup({}, "constructor")'])
      expect(given(expr, cells)).toBeUndefined()
  })

  it('an expression has its item in each, and nothing of that name elsewhere', () => {
    const body = { l: { from: 'A', split: ',', each: { n: { expr: '$item & B' } } } }
    expect(bodyOf(body, { A: 'a, b', B: '!' })).toEqual({ l: [{ n: 'a!' }, { n: 'b!' }] })
    const deeper = { l: { from: 'A', each: { n: { expr: '$item.name' } } } }
    expect(bodyOf(deeper, { A: [{ name: 1 }, { name: 2 }] })).toEqual({ l: [{ n: 1 }, { n: 2 }] })
    expect(given('$item')).toBeUndefined()
  })

  it('an expression is followed by the other parts of its rule', () => {
    expect(given('A & ";c"', { A: 'a;b' }, { split: ';', case: 'upper' })).toEqual(['A', 'B', 'C'])
    expect(given('A & "0"', { A: '4' }, { as: 'integer' })).toBe(40)
    expect(given('Nothing', {}, { default: 'd' })).toBe('d')
    expect(errorsOf({ x: { expr: 'Nothing', required: true } }, { A: '' })).toEqual([
      { path: 'x', column: 'Nothing', ...problem('required') },
    ])
  })
})

describe('functions of an expression', () => {
  const cells = [
    '2026-10-05',
    '2026-10-05T22:30:00+0000',
    '5/Oct/26 3:04 PM',
    '2026-02-30',
    '020 7946 0000',
    '+1 415 555 2671',
    'a < b\n\nc',
    '',
  ]

  it.each([
    ['$date(A)', { as: 'datetime' }],
    [
      '$date(A, ["iso", "d/MMM/yy h:mm a"], "Europe/Berlin")',
      { as: 'datetime', format: ['iso', 'd/MMM/yy h:mm a'], zone: 'Europe/Berlin' },
    ],
    ['$day(A)', { as: 'date' }],
    [
      '$day(A, ["iso", "d/MMM/yy h:mm a"], "Asia/Tokyo")',
      { as: 'date', format: ['iso', 'd/MMM/yy h:mm a'], zone: 'Asia/Tokyo' },
    ],
    ['$phone(A)', { as: 'phone' }],
    ['$phone(A, "GB")', { as: 'phone', country: 'GB' }],
    ['$html(A)', { as: 'html' }],
  ] as const)('a function of an expression does what the rule does: %s', (expr, parts) => {
    for (const cell of cells) {
      const byRule = made(parts, cell)
      if (typeof byRule === 'object')
        expect(refusal(expr, { A: cell })).toBe(
          `the expression ${expr} fails: ${(byRule as { refused: string }).refused}`,
        )
      else {
        const body = { ...(byRule !== undefined && { x: byRule }), here: 'yes' }
        expect(mapped({ x: { expr }, here: '{{Always}}' }, { A: cell, Always: 'yes' })).toEqual({ body })
      }
    }
  })

  it('a function of an expression reports what is wrong with its settings', () => {
    expect(refusal('$phone("1", "XX")')).toContain('"XX" is not a country')
    expect(refusal('$date("2026-01-01", "iso", "Mars")')).toContain('"Mars" is not a time zone')
    expect(refusal('$lookup("nope", "a")')).toContain('the mapping has no lookup "nope"')
  })

  it('a function of an expression has the lookups of the mapping, and those of JSONata', () => {
    const lookups = { users: { file: 'u.csv', key: 'a', value: 'b' } }
    const body = (expr: string, more: object = {}) => {
      const mapping = mappingOf({ x: { expr, ...more }, here: '{{Always}}' }, { lookups })
      const table = new LookupTable('u.csv')
      table.add('ann', 17, 2)
      mapping.lookups.provide('users', key => table.find(key))
      return mapping.map(rowOf({ A: ' ANN', B: 'bob', Always: 'yes' }))
    }
    expect(body('$lookup("users", A) + 1')).toEqual({ body: { x: 18, here: 'yes' } })
    expect(body('$lookup("users", Nothing)')).toEqual({ body: { here: 'yes' } })
    expect(body('$lookup("users", B)', { missing: 'omit' })).toMatchObject({ body: { here: 'yes' } })
    expect(body('$lookup("users", B)')).toEqual({
      errors: [
        {
          path: 'x',
          column: 'B',
          ...problem('expression_failed', {
            expression: '$lookup("users", B)',
            reason: problem('lookup_not_found', { table: 'u.csv' }),
          }),
        },
      ],
    })
    expect(body('$lookup({"bob": 1, "ANN": 2}, B)')).toEqual({ body: { x: 1, here: 'yes' } })
    expect(body('$lookup([{"bob": 1}, {"bob": 2}], B)')).toEqual({ body: { x: [1, 2], here: 'yes' } })
  })
})

describe('expression that never ends or takes too much', () => {
  const endless = problem('too_many_steps')
  const tooMuch = problem('result_too_large')
  it.each([
    [
      'runaway recursion',
      '($f := function($n) { 1 + $f($n) }; $f(1))',
      expect.stringContaining('Maximum call stack size exceeded'),
    ],
    ['an endless tail call', '($f := function($n) { $f($n + 1) }; $f(1))', endless],
    ['a search without end', '($f := function($n) { $contains("a", /a/) ? $f($n) : 1 }; $f(1))', endless],
    ['too many matches', '$count($match($pad("", 200001, "ab"), /a|b/))', tooMuch],
    ['a range in each item of a range', '[1..20000].[1..20000]', endless],
    ['a long text again and again', '($t := $pad("", 9000000); $map([1..9000], function() { $t }))', endless],
    ['a text that doubles', '($f := function($s) { $f($s & $s) }; $f("ab"))', tooMuch],
    ['a list that doubles', '($f := function($l) { $f($append($l, $l)) }; $f([1, 2]))', tooMuch],
    ['a range', '[1..999999]', tooMuch],
    ['a range that nobody could make', '[-1e15..1e15]', tooMuch],
    ['a range within another', '[1..$count([1..300000])]', tooMuch],
    ['a range up to a cell', '[1..$number(A ? 300000 : A)]', tooMuch],
    ['a padded text', '$pad(A, 400000000)', tooMuch],
    ['a text padded by a long one', '$pad(A, -10000000, "12345678901234567890")', tooMuch],
    ['the same by another name', '($p := $pad; $p(A, 5000000000))', tooMuch],
    ['an expression within', '$eval("($f := function() { $f() }; $f())")', problem('eval_not_available')],
    [
      'what is too deep',
      '($f := function($n) { $n = 0 ? 1 : {"a": {"b": $f($n - 1)}} }; $f(270))',
      problem('too_deep', { levels: 500 }),
    ],
  ])(
    'an expression that takes too much by %s makes the row invalid, and not the next one',
    (_, expr, reason) => {
      const mapping = mappingOf({ x: { expr: `B ? B : ${expr}` } })
      expect(mapping.map(rowOf({ A: `${'a'.repeat(40)}!`, B: '' }))).toEqual({
        errors: [
          {
            path: 'x',
            column: expect.stringMatching(/^[AB]$/),
            code: 'expression_failed',
            params: { expression: `B ? B : ${expr}`, reason },
          },
        ],
      })
      expect(mapping.map(rowOf({ A: 'a', B: 'b' }))).toEqual({ body: { x: 'b' } })
    },
  )

  it.each(['$sum', '$phone', 'function($x) { $x }', '$substring(?, 1)', '/a/'])(
    'an expression does not return a function: %s',
    expr => {
      expect(refusal(expr)).toContain('its result is a function, not a value')
    },
  )

  it('an expression may make as much as a row may hold', () => {
    const cells = { N: 200_000 }
    expect(given('$count([1..N])', cells)).toBe(200_000)
    expect(given('$count([2..1])')).toBe(0)
    expect(given('$count([1..(N.$)].[1..2])', { N: 3 })).toBe(3)
    expect(given('$count([[1..3][1]..[1..9][8]])')).toBe(8)
    expect(given('$pad("a", 5, "xy") & $pad("a", -5) & $pad("a", 1)')).toBe('axyxy    aa')
    expect(given('A.$pad(3, "#")', { A: 'a' })).toBe('a##')
    expect(given('$length($pad("a", 1000))')).toBe(1000)
  })

  it('an expression does not return a number that JSON does not have', () => {
    for (const expr of ['1 / 0', '0 / 0', '{"a": 1 / 0}']) expect(refusal(expr)).toContain('fails: ')
  })

  it('an expression may not return a list of functions', () => {
    expect(refusal('[function($x) { $x }]')).toContain('its result is a function, not a value')
  })

  it('an expression cannot be made of a text', () => {
    expect(refusal('$eval("1 + 1")')).toContain('$eval is not available in mappings')
  })

  it('an expression that compares every value with every other ends within its limits', () => {
    const values = Array.from({ length: 190_000 }, (_, at) => at).join()
    expect(refusal('$count($distinct($split(A, ",")))', { A: values })).toContain('it takes too many steps')
  })

  it('an expression that doubles an object again and again ends within its limits', () => {
    const expr = '($f := function($n) { $n = 0 ? 1 : ($i := $f($n - 1); {"a": $i, "b": $i}) }; $f(18))'
    expect(refusal(expr)).toContain('its result is larger than a row may be')
  })
})

describe('regular expression of an expression', () => {
  const long = `${'a'.repeat(100_000)}!`

  const endless = [
    ['a repeat within a repeat', '/(a+)+$/'],
    ['one search after the other', '/(\\w|a)+?b|a/'],
    ['a repeat within a repeat with look-around', '/(?=(a+)+$)/'],
    ['repeats side by side', '/a*a*a*a*a*a*b/'],
  ] as const
  it.each(cases(endless, 1))(
    'a pattern of an expression makes a row invalid after about a second: %s',
    (_, pattern) => {
      const mapping = mappingOf({ x: { expr: `$count($match(A, ${pattern}))` } })
      const startMs = performance.now()
      expect(mapping.map(rowOf({ A: long }))).toMatchObject({
        errors: [{ code: 'expression_failed', params: { reason: problem('too_many_steps') } }],
      })
      expect(performance.now() - startMs).toBeLessThan(30_000)
      expect(mapping.map(rowOf({ A: 'c' }))).toEqual({ body: { x: 0 } })
    },
  )

  it('a pattern of an expression has look-around and back-references', () => {
    expect(given('$replace(A, /(?<=a)b(?!c)/, "-")', { A: 'ab abc' })).toBe('a- abc')
    expect(given('$contains(A, /^(.+) \\1$/)', { A: 'so so' })).toBe(true)
    expect(given('$contains(A, /^(.+) \\1$/)', { A: long })).toBe(false)
    expect(given('$contains(A, /(?=(a+)+$)/)', { A: 'aa' })).toBe(true)
  })

  itLong('a pattern of an expression has the same result when the machine is busy', async () => {
    const spin = 'for (;;) {}'
    const threads = Array.from({ length: 4 }, () => new Worker(spin, { eval: true }))
    await Promise.all(threads.map(thread => once(thread, 'online')))
    try {
      const A = `${'ab, '.repeat(1_000)}!`
      expect(given('$count($match(A, /\\w+,?/))', { A })).toBe(1_000)
      expect(given('$count($match(A, /(\\w+,?)+/))', { A })).toBe(1_000)
      expect(refusal('$contains(A, /((a|b)+,? *)+$/)', { A })).toContain('it takes too many steps')
    } finally {
      await Promise.all(threads.map(thread => thread.terminate()))
    }
  })

  it('a pattern of an expression replaces every match in a long text', () => {
    expect(given('$length($replace(A, /\\s/, ""))', { A: 'a '.repeat(400_000) })).toBe(400_000)
  })

  it('a pattern of an expression of another user of the library is left as it is', () => {
    const another = jsonata('$replace("abc", /b(?=c)/, "-")')
    given('$contains(A, /a/)', { A: 'a' })
    expect(another.evaluate({})).toBe('a-c')
  })
})

describe('columns of an expression', () => {
  it('the columns of an expression are found in other letters if they may be missing', () => {
    const mapping = mappingOf({ name: { expr: '`Due Date` & "!"' } }, { optional_columns: true })
    mapping.checkColumns(['Due date'], 'a.csv')
    mapping.settleColumns([['Due date']])
    expect(mapping.map(rowOf({ 'Due date': 'today' }))).toEqual({ body: { name: 'today!' } })
  })
})

describe('faults of an expression', () => {
  const mapping = (expr: string) => `record: task\nbody:\n  name: { expr: '${expr}' }\n`

  it('a fault of an expression is reported with file, line and column', () => {
    expect(faultsIn(mapping('A &'))).toEqual([
      expect.stringMatching(/^m\.yaml:3:17: this is not a JSONata expression \(.+\)$/),
    ])
    for (const expr of ['', '(A', 'A B', '"x', '[1..', '$f(', '{"a"}'])
      expect(faultsIn(mapping(expr))[0]).toMatch(/^m\.yaml:3:17: /)
  })

  const columnFaults = (expr: string, more: object = {}): string[] => {
    try {
      mappingOf({ x: { expr, ...more }, y: '{{First Name}}' }).checkColumns(
        ['First Name', 'Items', 'Type'],
        'r.csv',
      )
      return []
    } catch (error) {
      return (error as Error).message.split('\n').map(line => line.replace(/^.*?: unknown/, 'unknown'))
    }
  }

  it('a fault of an expression is a column that the header lacks, with the one that was meant', () => {
    const unknown = 'unknown column "Tpye"; did you mean "Type"? (the header of r.csv has no such column)'
    for (const expr of [
      ...['Tpye', '$uppercase(Tpye)', '`First Name` & Tpye', 'Tpye = "x" ? 1 : 2', '{"a": [Tpye]}'],
      ...['Tpye.b.c', '$map(Items, function($i) { $i & Tpye })', '($v := Tpye; $v)', 'Tpye[0]'],
    ])
      expect(columnFaults(expr), expr).toEqual([unknown])
    expect(columnFaults('Tpye', { optional: true })).toEqual([])
  })

  it('a fault of an expression is not a name deeper in a path, in a filter or in a transform', () => {
    for (const expr of [
      ...['Items.name', 'Items[name = "x"]', 'Items.(name & other)', 'Items{name: other}', 'Items^(name)'],
      ...['$ ~> |Items|{"a": other}|', '$item.name', '$$.Type', '*', 'Items.name.other[0]'],
    ])
      expect(columnFaults(expr), expr).toEqual([])
  })
})

describe('any content of a cell', () => {
  it('an expression returns a body or errors', () => {
    const mapping = mappingOf({
      a: { expr: 'A & B', missing: 'omit' },
      b: { expr: '$number(A) + 1' },
      c: { expr: '$date(A, [B, "iso"], "Europe/Berlin")' },
      d: { expr: '$phone(A, "GB")' },
      e: { expr: '$html($string($))' },
      f: { expr: '$lookup($, A)' },
      g: { expr: 'A.$split(",").($contains($, /^(x|y)+z/) ? $uppercase($) : $eval(B))' },
      h: { expr: '$sort($append(A, B)) ~> $distinct()' },
      i: { expr: '$merge([A, B, $])' },
      j: { expr: '**' },
    })
    const cell = fc.oneof(
      fc.jsonValue({ maxDepth: 3 }),
      anyText(),
      fc.constantFrom(
        '[1..9]',
        '$',
        '($f := function(){$f()}; 1)',
        '\ud800',
        '__proto__',
        '1e308',
        '%',
        '/a/',
        undefined,
      ),
    )
    fc.assert(
      fc.property(cell, cell, (A, B) => {
        const text = JSON.stringify(mapping.map(rowOf({ A, B })))
        expect(Object.keys(JSON.parse(text))).toEqual([expect.stringMatching(/^(body|errors)$/)])
      }),
      { numRuns: repeats(60) },
    )
  })
})
