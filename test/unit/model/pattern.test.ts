import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { patternOf } from '../../../src/model/pattern.ts'

const id = '9d2f8a54-6f0e-4c1b-9a77-3f2f1c0b5e11'

describe('the pattern of a text', () => {
  it.each([
    ["Name 'Ada' taken", 'Name … taken'],
    ["Name 'O'Brien' taken, can't go on", "Name … taken, can't go on"],
    ['Name "" taken', 'Name … taken'],
    ['Name “Ada”, „Bob“, «Cy», ‘O’Neil’ and `Di` taken', 'Name … and … taken'],
    ["the users' names", "the users' names"],
    ['row 5 of 1,234.5 is -7', 'row … of … is …'],
    ['rows 1, 2, 3 and 4', 'rows … and …'],
    [`request ${id} at 2026-11-21T08:00:00.123Z`, 'request … at …'],
    ['at 2026-11-21 08:00 and at 2026-11-21T08:00:00+02:00', 'at … and at …'],
    ['ada@example.com and Zoë.x+y@sub.example.co.uk exist', '… and … exist'],
    ['mixed ids a8f3k2m9, cus_NffrFeUfNV2Hib and 8f3a2b1', 'mixed ids …, cus_… and …'],
    ['signed eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9', 'signed …'],
    ['E-mail 2 of utf-8, HTTP/1.1 and address_line_2', 'E-mail … of utf-…, HTTP/… and address_line_…'],
    ['  two\n\tlines  ', 'two lines'],
    ['', ''],
  ])('%j is %j', (text, pattern) => {
    expect(patternOf(text)).toBe(pattern)
  })

  it.each([
    ['{"error":"Name \'Ada\' taken","id":"9d2f"}', '{"error":"Name … taken","id":…}'],
    ['{ "error": "Name \\"Ada\\" taken", "id": 17 }', '{"error":"Name … taken","id":…}'],
    ['{"error":"f\\u00fcr \\u0022Ada\\u0022\\nbelegt"}', '{"error":"für … belegt"}'],
    ['{"errors":{"name":["is taken"],"email":["is invalid"]}}', null],
    [
      '{"errors":[{"field":"name","message":"is taken","value":"A"},{"field":"name","message":"is taken","value":"B"}]}',
      '{"errors":[{"field":"name","message":"is taken","value":…}]}',
    ],
    ['{"errorMessage":"no","traceId":"abcdef"}', '{"errorMessage":"no","traceId":…}'],
    ['{"error":"no","input":{"name":"Ada","tags":["x"]}}', '{"error":"no","input":…}'],
    ['{"error":"no","sent":{"a":1,"b":{"c":2}}}', '{"error":"no","sent":…}'],
    ['{"data":{"message":"no"}}', null],
    ['{"Fehler":"Name ist belegt","name":"Ada"}', '{"Fehler":"Name ist belegt","name":…}'],
    ['{"success":false,"code":17}', '{"success":false,"code":…}'],
    ['"Too many requests for \\"Ada\\""', '"Too many requests for …"'],
    ['["row 5 is bad","row 6 is bad"]', '["row … is bad"]'],
    ['{"error":"Name \'Ada Lovel', '{"error":"Name …'],
    ['{"error":"no","record":{"name":"Ada', '{"error":"no","record":…'],
    ['{}', null],
    ['{Ada} is taken', null],
    ['[2026-11-21] no', '[…] no'],
  ])('of JSON keeps the keys and what is wrong: %s', (text, pattern) => {
    expect(patternOf(text)).toBe(pattern ?? text)
  })

  it.each([
    'is not found in organizations; add it there, or set missing: omit to leave the field out',
    'the call was sent and no answer came (ETIMEDOUT)',
    "it's the service's fault; don't worry",
    'Zu viele Anfragen – bitte später erneut versuchen',
    'リクエストが多すぎます',
  ])('that holds nothing which changes is the text: %s', text => {
    expect(patternOf(text)).toBe(text)
  })

  it('takes out what was sent, where it stands by itself', () => {
    const values = ['Ada Lovelace', 'Ann', 'a+b (c)', 'x', 'zwei\nZeilen']
    expect(patternOf('Contact ADA LOVELACE exists, an annual one', values)).toBe(
      'Contact … exists, an annual one',
    )
    expect(patternOf('{"error":"a+b (c) or Zwei  Zeilen exist"}', values)).toBe('{"error":"… or … exist"}')
    expect(patternOf('axis x', values)).toBe('axis x')
  })

  it('takes out a quoted value whose end was cut off', () => {
    const long = (name: string) => `Name "${name.repeat(200)}`.slice(0, 500)
    expect(patternOf(long('Ada '))).toBe('Name …')
    expect(patternOf(long('Bob'))).toBe(patternOf(long('Ada ')))
  })

  it('is one for texts that are cut in other places', () => {
    const long = (row: number) => `Row ${row} is bad: ${'very '.repeat(200)}`.slice(0, 500)
    expect(patternOf(long(1))).toBe(patternOf(long(12345)))
  })

  it('of two different errors is not the same', () => {
    const texts = [
      'Name is taken',
      'Name is too long',
      '{"error":"Name is taken"}',
      '{"error":"Name is too long"}',
      '{"message":"invalid","field":"name"}',
      '{"message":"invalid","field":"email"}',
      '{"error":"invalid","details":{"name":"is taken"}}',
      '{"error":"invalid","details":{"email":"is taken"}}',
      '{"code":"DUPLICATE_NAME"}',
      '{"code":"DUPLICATE_EMAIL"}',
      '<h1>502 Bad Gateway</h1>',
      '<h1>504 Gateway Timeout</h1>',
    ]
    expect(new Set(texts.map(text => patternOf(text))).size).toBe(texts.length)
  })
})

const hexDigits = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 12, maxLength: 40 })
const name = fc
  .string({ unit: fc.constantFrom(...'AbcdéÜß -.ñ中'), maxLength: 20 })
  .filter(text => text.trim() === text)
const when = fc.date({
  min: new Date('2000-01-01'),
  max: new Date('2100-01-01'),
  noInvalidDate: true,
})
const changing = fc.record({
  int: fc.integer().map(String),
  decimal: fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  uuid: fc.uuid(),
  hex: hexDigits.filter(text => /\d/.test(text)),
  time: when.map(date => date.toISOString()),
  email: fc
    .tuple(
      fc.string({ unit: fc.constantFrom(...'abz09._-'), minLength: 1, maxLength: 12 }),
      fc.constantFrom('example.com', 'mail.example.co.uk'),
    )
    .map(parts => parts.join('@')),
  name,
})
type Changing = typeof changing extends fc.Arbitrary<infer T> ? T : never

const frames: readonly ((it: Changing) => string)[] = [
  it => `Row ${it.int} of ${it.int} is refused`,
  it => `Value ${it.decimal} is out of range`,
  it => `Contact ${it.uuid} (request ${it.hex}) exists since ${it.time}`,
  it => `User ${it.email}: name '${it.name}' is taken`,
  it => `Limit of ${it.int} per minute reached, retry in ${it.int} s`,
  it => `<p>Ray ID: ${it.hex}</p> at ${it.time}`,
  it => JSON.stringify({ error: `Name "${it.name}" is taken`, id: it.uuid, at: it.time, took: it.decimal }),
  it => JSON.stringify({ id: it.int, error: { message: `no ${it.int}`, input: { [it.name]: it.name } } }),
  it =>
    JSON.stringify({ errors: [{ message: 'bad', name: it.name, value: it.decimal }], request_id: it.hex }),
  it => JSON.stringify([`row ${it.int}: '${it.name}' is no name`]),
]

describe('the patterns of any texts', () => {
  it.each(frames.map((frame, at) => [at, frame] as const))(
    'are one where only numbers, ids, times, addresses and quoted names differ (%i)',
    (_, frame) => {
      fc.assert(
        fc.property(changing, changing, (one, other) => {
          expect(patternOf(frame(one))).toBe(patternOf(frame(other)))
        }),
        { numRuns: 300 },
      )
    },
  )

  const pieces = fc.array(
    fc.oneof(
      fc.constantFrom(...'"\'`“”„«»‘’「」{}[]:,\\/@…#+-_. \n'),
      fc.constantFrom('error', 'id', 'input', '"error":', '{"', '\\u00', '\\"', '12', 'a1b2', 'x@y.z', "n't"),
      fc.string({ unit: 'binary', maxLength: 3 }),
    ),
    { maxLength: 300 },
  )
  const texts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 700 }),
    pieces.map(list => list.join('')),
    fc.json({ maxDepth: 5 }),
    fc.tuple(fc.json({ maxDepth: 5 }), fc.nat(600)).map(([json, length]) => json.slice(0, length)),
  )

  it('are bounded, never fail, and have themselves as their patterns', () => {
    fc.assert(
      fc.property(texts, fc.array(fc.string(), { maxLength: 5 }), (text, values) => {
        const pattern = patternOf(text, values)
        expect(pattern.length).toBeLessThanOrEqual(200)
        expect(patternOf(pattern, values)).toBe(pattern)
        expect(patternOf(pattern)).toBe(pattern)
        expect(pattern).not.toMatch(/\p{N}/u)
      }),
      { numRuns: 3_000 },
    )
  })

  it('are made of no more than 500 characters, however long the text is', () => {
    const read: unknown[] = []
    const text = {
      slice(from: number, to: number) {
        read.push([from, to])
        return "Name 'Ada' taken"
      },
    } as unknown as string
    expect(patternOf(text)).toBe('Name … taken')
    expect(read).toEqual([[0, 500]])
    fc.assert(
      fc.property(pieces, fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (list, one, other) => {
        const start = list.join('').padEnd(500, '?').slice(0, 500)
        expect(patternOf(start + one)).toBe(patternOf(start + other))
      }),
    )
  })

  /** Plain arithmetic, by which work is measured: what makes a machine slow makes it slow for both. */
  const arithmetic = (steps: number) => {
    let number = 1
    for (let step = 0; step < steps; step += 1) number = (Math.imul(number, 1_103_515_245) + 12_345) | 0
    return number
  }
  /** The shortest of some rounds: whatever else the machine does makes only some of them longer. */
  const shortestMs = (rounds: number, round: () => unknown) =>
    Math.min(
      ...Array.from({ length: rounds }, () => {
        const begunMs = performance.now()
        round()
        return performance.now() - begunMs
      }),
    )

  it.each([
    "'a ",
    "-'a",
    '"',
    'a@',
    'a',
    '1',
    '1,',
    '…,',
    '{"a":',
    '[',
    '[{"',
    '“',
    '‘a’a',
    '0-',
    'a1',
    '\\',
    '{"\\',
    "'",
  ])(
    'of a long text of %j cost less than 20 steps of arithmetic for each pair of the characters read',
    piece => {
      const text = piece.repeat(100_000)
      const mostMs = shortestMs(5, () => arithmetic(20 * 500 * 500))
      expect(shortestMs(20, () => patternOf(text))).toBeLessThan(mostMs)
    },
  )
})
