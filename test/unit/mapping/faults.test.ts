import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadMapping } from '../../../src/mapping/mapping.ts'
import { UsageError } from '../../../src/model/errors.ts'
import { tempFolder } from '../../support/cleanup.ts'
import { bodyOf, faultsIn, mappingFrom } from '../../support/mappings.ts'

/** The faults of a contact mapping with these lines in its body; the first of them is line 3. */
const inBody = (...lines: string[]) =>
  faultsIn(['record: contact', 'body:', ...lines.map(line => `  ${line}`)].join('\n'))

/** The faults of a contact mapping with this rule as its name; it starts at 3:9. */
const inRule = (rule: string) => inBody(`name: ${rule}`)

describe('fault of the mapping file', () => {
  it('a fault of the mapping file is reported with file, line, column and a suggestion', () => {
    expect(faultsIn('record: contact\nbdoy:\n  name: "{{A}}"\n')).toEqual([
      'm.yaml:1:1: body: is missing',
      'm.yaml:2:1: unknown key "bdoy"; did you mean "body"?',
    ])
  })

  it('a fault of the mapping file is reported with all the others, in the order of the file', () => {
    const faults = inBody(
      'nmae: "{{A}}"',
      'phones: { from: P, splt: ";" }',
      'designation: { from: D, as: txt }',
    )
    expect(faults.map(fault => fault.replace(/: .*/s, ''))).toEqual([
      'm.yaml:3:3',
      'm.yaml:4:22',
      'm.yaml:5:31',
    ])
  })

  it('a fault of the mapping file may be in any key at the top', () => {
    const start = 'record: contact\nbody: { name: "{{A}}" }\n'
    for (const [line, fault] of [
      ['Key: A', '3:1: unknown key "Key"; did you mean "key"?'],
      ['source: { delimeter: ";" }', '3:11: unknown key "delimeter"; did you mean "delimiter"?'],
      [
        'source: { header: { start_with: A } }',
        '3:19: header: must be true, { starts_with: CELL } or { columns: [NAME, …] }',
      ],
      [
        'source: { header: false }',
        '3:19: header: must be true, { starts_with: CELL } or { columns: [NAME, …] }',
      ],
      [
        'source: { header: { columns: [] } }',
        '3:19: header: must be true, { starts_with: CELL } or { columns: [NAME, …] }',
      ],
      [
        'key: { a: b }',
        '3:6: key: must be a column or a list of columns; a list in the list has names for the same column',
      ],
      ['where: { A: { b: c } }', '3:13: A: must have in, not, empty or matches'],
      ['where: { A: { b: c } }', '3:15: unknown key "b"'],
      ['where: { A: { match: c } }', '3:15: unknown key "match"; did you mean "matches"?'],
      ['where: { A: { empty: no } }', '3:22: empty: must be true or false'],
      ['where: { A: { not: [[1]] } }', '3:21: item 1 of not: must be a value or a list of values'],
      ['where: { A: { matches: "(b" } }', '3:24: Invalid regular expression: /(b/gu: Unterminated group'],
      [
        'where: { A: ~ }',
        '3:13: A: must be a value, a list of values, or an object with in, not, empty or matches',
      ],
      [
        'where: { distinct: [{ a: b }] }',
        '3:20: distinct: must be a column or a list of columns, or conditions on a column of this name',
      ],
      [
        'where: { distinct: A }\nkey: B',
        '4:6: key: must be left out, because the columns of where.distinct identify the rows',
      ],
      ['tests: [{ rows: {} }]', '3:11: unknown key "rows"; did you mean "row"?'],
    ] as const)
      expect(faultsIn(start + line)).toContain(`m.yaml:${fault}`)
    for (const [line, place] of [
      ['source: { format: xml }', '3:19: format: '],
      ['source: { ragged: shift }', '3:19: ragged: '],
      ['source: { delimiter: "" }', '3:22: delimiter: '],
      ['key: []', '3:6: key: '],
      ['source: csv', '3:9: source: '],
      ['use_created: "yes"', '3:14: use_created: '],
      ['allow_unknown_fields: 1', '3:23: allow_unknown_fields: '],
      ['tests: [{ body: {} }]', '3:9: row: '],
    ] as const)
      expect(faultsIn(start + line).join()).toContain(`m.yaml:${place}`)
  })

  it('a fault of the mapping file is a record that there is none of', () => {
    expect(faultsIn('record: contcat\nbody: {}').join()).toContain('m.yaml:1:9: record: ')
    expect(faultsIn('body: { name: "{{A}}" }').join()).toContain('record: ')
  })

  it('a fault of the mapping file is use_created for tasks', () => {
    expect(faultsIn('record: task\nuse_created: true\nbody: { name: "{{A}}" }')).toEqual([
      'm.yaml:2:1: use_created does not work for record: task; leave it out',
    ])
  })

  it('a fault of the mapping file is text that is no YAML', () => {
    for (const text of [
      'record: contact\nbody: { name: "{{A}}"\n',
      'record: [contact\n',
      'a: b: c\n',
      'a: "\n',
      '\tx: y',
    ])
      expect(faultsIn(text)[0]).toMatch(/^m\.yaml:[1-9]\d*:[1-9]\d*: \S/)
  })

  it('a fault of the mapping file is a repeated key', () => {
    expect(inBody('name: "{{A}}"', 'name: "{{B}}"')).toEqual(['m.yaml:4:3: Map keys must be unique'])
  })

  it('a fault of the mapping file is a file that is empty, a list, or a word', () => {
    for (const text of ['', '# nothing\n', '- record: contact\n', 'contact\n', 'null'])
      expect(faultsIn(text)[0]).toMatch(/^m\.yaml:\d+:\d+: must be keys and values$/)
  })

  it.each([
    ['{ rows: 5 }', 'rows: must be keys and values'],
    ['{ rows: { min: -1 } }', 'min: must be at least 0'],
    ['{ rows: { min: many } }', 'min: must be a number'],
    ['{ rows: { min: 1.5 } }', 'min: must be a whole number'],
    ['{ merged: false }', 'merged: must be a number of rows, a share such as 5%, or any'],
    ['{ omitted: 101% }', 'omitted: must be at most 100%'],
    ['{ omitted: 0.5 }', 'omitted: must be a share such as 80%'],
    ['{ answers: all }', 'answers: must be one of told, complete'],
    ['7', 'expect: must be keys and values'],
  ])('a fault of the mapping file is an expectation %s', (expect_, words) => {
    const [fault] = faultsIn(`record: contact\nexpect: ${expect_}\nbody: { name: "{{A}}" }\n`)
    expect(fault?.replace(/^m\.yaml:2:\d+: /, '')).toBe(words)
  })

  it.each([
    ['{ from: A, replace: [{ pattern: "", with: x }] }', 'pattern: must not be empty'],
    ['{ from: A, as: duration, unit: hours, hours_per_day: 25 }', 'hours_per_day: must be at most 24'],
    ['{ from: A, as: duration, unit: hours, hours_per_day: 0 }', 'hours_per_day: must be above 0'],
    ['{ from: A, true: yes }', 'true: must be a list'],
    ['{ from: A, required: 1 }', 'required: must be true or false'],
  ])('a fault of the mapping file in a rule is reported in plain words: %s', (rule, words) => {
    expect(inRule(rule)[0]?.replace(/^m\.yaml:3:\d+: /, '')).toBe(words)
  })

  it('a fault of the mapping file is the value of a custom field without its kind', () => {
    const fields = (field: string) => inBody('name: "{{A}}"', `custom_field_values: [${field}]`)
    const id = '0f3c2c1a-0000-4000-8000-000000000001'
    expect(fields(`{ custom_field_id: ${id}, value: 3 }`)).toEqual([
      expect.stringMatching(
        /^m\.yaml:4:\d+: unknown field "value"; did you mean "text_value"\?; .*number_value/,
      ),
    ])
  })

  it('a fault of the mapping file is a file of two documents', () => {
    expect(faultsIn('record: contact\nbody: {}\n---\nrecord: task\n')[0]).toMatch(/^m\.yaml:3:1: /)
  })

  it('a fault of the mapping file is an alias without an anchor', () => {
    expect(inBody('name: *Name')[0]).toBe(
      'm.yaml:3:9: unknown alias *Name; text that starts with * needs quotes',
    )
  })

  it('a fault of the mapping file is a key that comes twice, also as another kind of YAML', () => {
    const twice = ': Map keys must be unique'
    expect(inBody('name: a', 'phones: [{ 7: x, "7": y }]', 'name: b')).toEqual([
      `m.yaml:4:20${twice}`,
      `m.yaml:5:3${twice}`,
    ])
    const keys = Array.from({ length: 12_000 }, (_, at) => `  ? k${at}\n  : 1\n`).join('')
    expect(faultsIn(`record: task\nbody:\n${keys}  k59: 2\n`)).toEqual([`m.yaml:24003:3${twice}`])
  })

  it('a fault of the mapping file is a key with a meaning in JavaScript, and no other', () => {
    const fault = 'a key cannot be __proto__'
    expect(faultsIn('record: task\nbody: { name: "{{A}}" }\nwhere: { A: b, "__proto__": c }')).toEqual([
      `m.yaml:3:16: ${fault}`,
    ])
    const words = { constructor: 'a', toString: 'b', hasOwnProperty: 'c' }
    expect(bodyOf({ ...words, x: { from: '__proto__', map: words } }, { ['__proto__']: 'toString' })).toEqual(
      {
        ...words,
        x: 'b',
      },
    )
  })

  it.each([
    ['a text that aliases repeat', `x: &x ${'y'.repeat(30_000)}\nall: [${'*x, '.repeat(99)}]`],
    [
      'lists of lists that aliases repeat',
      `a: &x [${'1, '.repeat(999)}]\n${[...'bcdefghi'].map(name => `${name}: &x [*x, *x, *x]\n`).join('')}`,
    ],
    ['too many aliases', `a: &a 1\nb: [${'*a, '.repeat(1_001)}]`],
    ['an alias that holds itself', 'a: &a { b: [*a] }'],
    ['too many levels', `a: ${'['.repeat(120)}${']'.repeat(120)}`],
  ])('a fault of the mapping file is %s', (_, text) => {
    expect(faultsIn(text).map(fault => fault.replace(/^m\.yaml:\d+:\d+: /, ''))).toEqual([
      'has more than 1000 aliases, or, with them written out, more than 500000 characters or 100 levels',
    ])
  })

  it('faults of the mapping file are searched up to the hundredth, on any depth', () => {
    expect(faultsIn('- *nobody\n'.repeat(5_000))).toHaveLength(100)
    expect(faultsIn('{ a: '.repeat(20_000))[0]).toMatch(/^m\.yaml:1:\d+: /)
  })

  it('a fault of the mapping file is a merge of what cannot be merged', () => {
    expect(faultsIn('%YAML 1.1\n---\nbody: { <<: 5 }')[0]).toMatch(/^m\.yaml:1:1: Merge sources must be maps/)
  })

  it('a fault of the mapping file is reported with its place in JSON, too', () => {
    expect(faultsIn('{\n  "record": "contact",\n  "body": { "nmae": "{{A}}" }\n}')[0]).toMatch(
      /^m\.yaml:3:13: unknown field "nmae"; did you mean "name"\?/,
    )
  })

  it('a fault of the mapping file is a file that cannot be read', async () => {
    const path = join(await tempFolder(), 'no.yaml')
    await expect(loadMapping(path)).rejects.toThrow(`${path}: there is no such mapping file`)
    await expect(loadMapping(path)).rejects.toBeInstanceOf(UsageError)
  })
})

describe('fault of the body', () => {
  it('a fault of the body is a field that the record does not have', () => {
    const more = '; allow_unknown_fields: true sends it anyway'
    expect(inBody('nmae: "{{A}}"')).toEqual([`m.yaml:3:3: unknown field "nmae"; did you mean "name"?${more}`])
    expect(inBody('emails: [{ mail: { from: A } }]')).toEqual([
      `m.yaml:3:14: unknown field "mail"; did you mean "email"?${more}`,
    ])
    expect(inBody('phones: { from: P, split: ",", each: { phone: "{{.}}" } }')).toEqual([
      `m.yaml:3:42: unknown field "phone"; did you mean "phone_number"?${more}`,
    ])
    expect(inBody('priority: "{{A}}"')).toEqual([
      `m.yaml:3:3: unknown field "priority"; rowlift fields lists all; one of your own is custom_field_values: [{ custom_field_id: ID, text_value: … }]${more}`,
    ])
    expect(inBody('toString: "{{A}}"', 'constructor: 1')).toHaveLength(2)
    expect(
      inBody('record_id: 6a0d8a0e-4f5b-4c58-9a57-1f1b0f6f2d11', 'created_at: "2026-01-01"'),
    ).toHaveLength(2)
  })

  it.each([
    ['date_value', 'datetime_value'],
    ['due_day', 'datetime_value'],
    ['date', 'datetime_value'],
    ['string', 'text_value'],
    ['text', 'text_value'],
    ['number', 'number_value'],
    ['amount', 'number_value'],
    ['option', 'option_id'],
    ['select', 'option_id'],
    ['multi', 'option_multiple_ids'],
    ['choices', 'option_multiple_ids'],
    ['custom_field', 'custom_field_id'],
  ])('a fault of the body is %s in a custom field, where %s is meant', (name, meant) => {
    const kinds =
      'the value of a custom field is text_value, number_value, datetime_value, option_id, or option_multiple_ids'
    for (const record of ['contact', 'task'])
      for (const [form, column] of [
        [`[{ ${name}: "{{A}}" }]`, 33],
        [`{ from: A, each: { ${name}: "{{.}}" } }`, 49],
      ])
        expect(faultsIn(`record: ${record}\nbody: { custom_field_values: ${form} }`)).toEqual([
          `m.yaml:2:${column}: unknown field "${name}"; did you mean "${meant}"?; ${kinds}; allow_unknown_fields: true sends it anyway`,
        ])
  })

  it('a fault of the body is a constant of the wrong type', () => {
    expect(inBody('name: 5')).toEqual(['m.yaml:3:9: name must be text, not a number'])
    expect(inBody('archived: "yes"')).toEqual([
      'm.yaml:3:13: archived must be true or false, not text; add as: boolean',
    ])
    const ofTask = (field: string) => faultsIn(`record: task\nbody: { ${field} }`)
    for (const word of ['open', 'P1', '2nd'])
      expect(ofTask(`status: ${word}`)).toEqual([
        'm.yaml:2:17: status must be a whole number, not text; a map: or lookup: makes numbers of words',
      ])
    expect(ofTask('status: "2"')).toEqual([
      'm.yaml:2:17: status must be a whole number, not text; add as: integer',
    ])
    expect(inBody('assigned_user_id: 1.5')).toEqual([
      'm.yaml:3:21: assigned_user_id must be a whole number, not a number with a fraction',
    ])
    expect(inBody('name: null')).toEqual(['m.yaml:3:9: name must be text, not null'])
    expect(inBody('emails: a@b.example')).toEqual([
      'm.yaml:3:11: emails must be a list, not text; make it a list, or add split',
    ])
    expect(inBody('url_details: example.com')).toEqual([
      'm.yaml:3:16: url_details must be an object, not text',
    ])
    expect(inBody('emails: [{ email: true }]')).toEqual([
      'm.yaml:3:21: email must be text, not true or false',
    ])
    expect(inBody('name: [a]')).toEqual(['m.yaml:3:9: name must be text, not a list'])
  })

  it('a fault of the body is a constant that is a bad id or a bad time', () => {
    expect(inBody('parent: { record_id: nope, name: "{{A}}" }')).toEqual([
      'm.yaml:3:24: record_id must be a UUID, not text; as: uuid checks it',
    ])
    expect(faultsIn('record: task\nbody: { completed_at: tomorrow, name: "{{A}}" }')).toEqual([
      'm.yaml:2:23: completed_at must be a timestamp, not text; add as: datetime or as: date',
    ])
  })

  it('a fault of the body is waived by allow_unknown_fields only for unknown fields', () => {
    const waived = (body: string) => `record: contact\nallow_unknown_fields: true\nbody: ${body}`
    expect(() => mappingFrom(waived('{ nmae: "{{A}}", emails: [{ mail: "{{B}}" }] }'))).not.toThrow()
    expect(faultsIn(waived('{ name: 5 }'))).toEqual(['m.yaml:3:15: name must be text, not a number'])
  })
})

describe('fault of a rule', () => {
  it('a fault of a rule is a key that no rule has', () => {
    expect(inRule('{ from: A, spilt: ";" }')).toEqual([
      'm.yaml:3:20: unknown key "spilt"; did you mean "split"?',
    ])
    expect(inRule('{ from: A, replace: [{ pattern: a, wiht: b }] }').join()).toContain(
      'm.yaml:3:44: unknown key "wiht"',
    )
  })

  it('a fault of a rule is two of from, join, expr and value at once', () => {
    expect(inRule('{ from: A, value: x }')).toEqual([
      'm.yaml:3:27: a rule takes only one of from, join, expr, value, and from is given already',
    ])
    expect(inRule('{ from: A, join: [B] }')).toHaveLength(1)
  })

  it('a fault of a rule is an `as` that there is none of', () => {
    const [fault] = inRule('{ from: A, as: emial }')
    expect(fault).toContain('m.yaml:3:24: as: ')
    expect(fault).toContain('must be one of string, integer, number, ')
  })

  it('a fault of a rule is a part without the one that it belongs to', () => {
    for (const [part, needs] of [
      ['with: ","', 'with needs join'],
      ['otherwise: keep', 'otherwise needs map, map_file or as'],
      ['decimal: ","', 'decimal needs as: number or integer'],
      ['format: iso', 'format needs as: date or datetime'],
      ['zone: UTC', 'zone needs as: date or datetime, or expr'],
      ['locale: de', 'locale needs as: date or datetime, or expr'],
      ['unit: hours', 'unit needs as: duration'],
      ['hours_per_day: 8', 'hours_per_day needs as: duration'],
      ['country: GB', 'country needs as: phone'],
      ['true: [x]', 'true needs as: boolean'],
      ['false: [x]', 'false needs as: boolean'],
    ] as const) {
      const column = 20 + part.indexOf(': ') + 2
      expect(inRule(`{ from: A, ${part} }`)).toEqual([`m.yaml:3:${column}: ${needs}`])
    }
    expect(inRule('{ from: A, as: duration }')).toEqual([
      'm.yaml:3:24: as: duration needs unit: seconds or minutes or hours',
    ])
  })

  it('a fault of a rule is a regular expression that is none', () => {
    expect(inRule('{ from: A, replace: [{ pattern: "(", with: "" }] }')[0]).toMatch(
      /^m\.yaml:3:41: Invalid regular expression: /,
    )
    expect(inRule('{ from: A, replace: [{ pattern: a, with: "" }, { pattern: "[", with: "" }] }')[0]).toMatch(
      /^m\.yaml:3:67: /,
    )
  })

  it('a fault of a rule is a zone, a country or a language that there is none of', () => {
    expect(inRule('{ from: A, as: date, zone: Europe/Berlni }')).toEqual([
      'm.yaml:3:36: unknown time zone "Europe/Berlni"; give an IANA name such as Europe/Berlin',
    ])
    expect(inRule('{ from: A, as: phone, country: UK }')).toEqual([
      'm.yaml:3:40: unknown country "UK"; give its two capital letters, such as GB',
    ])
    expect(inRule('{ from: A, as: phone, country: gb }')).toHaveLength(1)
    expect(inRule('{ from: A, as: date, locale: "d e" }')).toEqual([
      'm.yaml:3:38: "d e" is not a language tag such as de or pt-BR',
    ])
    expect(inRule('{ from: A, as: date, format: d MMM yyyy, locale: de_DE }')).toEqual([
      'm.yaml:3:58: "de_DE" is not a language tag such as de or pt-BR',
    ])
  })

  it('a fault of a rule is a date format that no value could ever be read by', () => {
    expect(inRule('{ from: A, as: datetime, format: "dd/MM/yyyy HH:mm a" }')[0]).toBe(
      `m.yaml:3:42: "dd/MM/yyyy HH:mm a" cannot be used to read a date (Can't include meridiem when specifying 24-hour format)`,
    )
    expect(inRule('{ from: A, as: datetime, format: [iso, "HH:mm a"] }')[0]).toContain('"HH:mm a"')
    for (const format of ['HH:mm', 'dd/MM', 'd LLL HH:mm'])
      expect(inRule(`{ from: A, as: date, format: "${format}" }`)).toEqual([
        `m.yaml:3:38: "${format}" cannot be used to read a date (it names no year)`,
      ])
    for (const format of ['yy', 'DDDD', 'kkkk-WW', 'yyyy-ooo', 'iso', 'epoch_ms', 'excel', 'ff', 'D'])
      expect(() =>
        mappingFrom(`record: contact\nbody: { name: { from: A, as: date, format: "${format}" } }`),
      ).not.toThrow()
  })

  it('a fault of a rule is a value of the wrong kind', () => {
    for (const rule of [
      '{ from: [] }',
      '{ from: { a: b } }',
      '{ join: A }',
      '{ from: A, split: "" }',
      '{ from: A, case: title }',
      '{ from: A, required: "yes" }',
      '{ from: A, map: [a] }',
      '{ from: A, empty: "" }',
      '{ from: A, as: number, decimal: ";" }',
      '{ from: A, as: duration, unit: days }',
      '{ from: A, as: duration, unit: hours, hours_per_day: 25 }',
      '{ from: A, as: boolean, true: yes }',
    ])
      expect([rule, inRule(rule).join('\n')]).toEqual([
        rule,
        expect.stringMatching(/^m\.yaml:3:\d+: \S+: \S/),
      ])
  })

  it('a fault of a rule is a template that names no column', () => {
    expect(inBody('name: "{{A}} {{ }}"')).toEqual([
      'm.yaml:3:9: a template names no column between {{ and }}',
    ])
  })

  it('a fault of a rule inside each is reported with its place', () => {
    expect(
      inBody('phones:', '  from: P', '  each:', '    phone_number: { from: ., as: phone, country: XX }'),
    ).toEqual(['m.yaml:6:52: unknown country "XX"; give its two capital letters, such as GB'])
  })
})

describe('mapping file', () => {
  it('a mapping file is read with the hash of its bytes', async () => {
    const path = join(await tempFolder(), 'a.json')
    await writeFile(path, '{"record":"contact","key":["A","B"],"use_created":false,"body":{"name":"{{A}}"}}')
    const mapping = await loadMapping(path)
    expect(mapping).toMatchObject({
      file: path,
      record: 'contact',
      useCreated: false,
      keyColumns: ['A', 'B'],
    })
    expect(mapping.sha256).toMatch(/^[0-9a-f]{64}$/)
  })

  it('a mapping file says how the source is to be read', () => {
    const source = (text: string) => mappingFrom(`record: contact\nbody: { name: "{{A}}" }\n${text}`).source
    expect(source('')).toEqual({ header: { type: 'first_line' }, ragged: 'invalid' })
    expect(source('source: { header: true, delimiter: "\\t", ragged: pad }')).toEqual({
      delimiter: '\t',
      header: { type: 'first_line' },
      ragged: 'pad',
    })
    expect(source("source: { delimiter: '\\t' }")).toMatchObject({ delimiter: '\t' })
    expect(
      source('source: { header: { starts_with: " First Name " }, encoding: windows-1252 }'),
    ).toMatchObject({
      encoding: 'windows-1252',
      header: { type: 'starts_with', cell: 'First Name' },
    })
    expect(source('source: { format: csv, header: { columns: [Name, 2024] } }')).toMatchObject({
      format: 'csv',
      header: { type: 'columns', columns: ['Name', '2024'] },
    })
  })

  it('a mapping file leaves use_created open and has no key unless it says so', () => {
    const mapping = mappingFrom('record: task\nbody: { name: "{{A}}" }')
    expect(mapping.useCreated).toBeUndefined()
    expect(mapping.keyColumns).toEqual([])
    expect(mappingFrom('record: task\nkey: " A "\nbody: { name: "{{A}}" }').keyColumns).toEqual(['A'])
  })
})
