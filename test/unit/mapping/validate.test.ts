import { describe, expect, it } from 'vitest'
import { namedColumns } from '../../../src/mapping/columns.ts'
import { compileNode } from '../../../src/mapping/compile.ts'
import { Lookups } from '../../../src/mapping/lookups/lookup.ts'
import { scopeOf } from '../../../src/mapping/scope.ts'
import { bodyErrors, checkBody } from '../../../src/mapping/validate.ts'
import { problem } from '../../../src/model/problem.ts'
import type { Body } from '../../../src/model/row.ts'
import { listOf, requested, text } from '../../../src/records/fields.ts'
import { LocatedYaml } from '../../../src/settings/located-yaml.ts'
import { mappingFrom, rowOf } from '../../support/mappings.ts'

/** What is wrong with a row under a mapping of contacts with these lines in its body. */
const errorsUnder = (lines: readonly string[], cells: Record<string, unknown>, start = 'record: contact') => {
  const mapping = mappingFrom([start, 'body:', ...lines.map(line => `  ${line}`)].join('\n'))
  const mapped = mapping.map(rowOf(cells))
  return 'errors' in mapped ? mapped.errors : []
}

describe('body of a row', () => {
  it('a body is right when every field has its type', () => {
    const lines = [
      'name: "{{Name}}"',
      'archived: { from: Archived, as: boolean }',
      'address_lat: { from: Lat, as: number }',
      'assigned_user_id: { from: User, as: integer }',
      'designation: { from: Job, empty: null }',
      'assigned_user: { email: { from: Mail } }',
      'parent: { record_id: { from: Parent } }',
    ]
    const cells = {
      Name: 'A',
      Archived: 'no',
      Lat: '1.5',
      User: '7',
      Mail: 'a@b.example',
      Parent: '6a0d8a0e-4f5b-4c58-9a57-1f1b0f6f2d11',
    }
    expect(errorsUnder(lines, cells)).toEqual([])
  })

  it('a body with text for a number, a boolean or an id is reported with column and hint', () => {
    const lines = [
      'archived: { from: Archived }',
      'address_lat: { from: Lat }',
      'assigned_user_id: "{{User}}"',
      'parent: { record_id: { from: Parent } }',
    ]
    expect(errorsUnder(lines, { Archived: 'no', Lat: '1.5', User: '7', Parent: 'Acme' })).toEqual(
      [
        {
          path: 'assigned_user_id',
          column: 'User',
          value: '7',
          ...problem('wrong_type', { expected: 'a whole number', got: 'text', hint: 'add as: integer' }),
        },
        {
          path: 'parent.record_id',
          column: 'Parent',
          value: 'Acme',
          ...problem('wrong_type', { expected: 'a UUID', got: 'text', hint: 'as: uuid checks it' }),
        },
        {
          path: 'address_lat',
          column: 'Lat',
          value: '1.5',
          ...problem('wrong_type', { expected: 'a number', got: 'text', hint: 'add as: number' }),
        },
        {
          path: 'archived',
          column: 'Archived',
          value: 'no',
          ...problem('wrong_type', { expected: 'true or false', got: 'text', hint: 'add as: boolean' }),
        },
      ].sort(byOrderOf(['assigned_user_id', 'parent.record_id', 'address_lat', 'archived'])),
    )
  })

  it('a body is wrong with a list, an object or null in place of text, and vice versa', () => {
    expect(errorsUnder(['name: { from: A, split: ";" }'], { A: 'a;b' })).toEqual([
      {
        path: 'name',
        column: 'A',
        ...problem('wrong_type', { expected: 'text', got: 'a list', hint: undefined }),
      },
    ])
    expect(errorsUnder(['name: { from: A, as: json }'], { A: '{"a":1}' })).toEqual([
      {
        path: 'name',
        column: 'A',
        ...problem('wrong_type', { expected: 'text', got: 'an object', hint: undefined }),
      },
    ])
    expect(errorsUnder(['name: { from: A, empty: null }', 'address: "{{B}}"'], { B: 'b' })).toMatchObject([
      {
        path: 'name',
        column: 'A',
        ...problem('wrong_type', { expected: 'text', got: 'null', hint: undefined }),
      },
    ])
    expect(errorsUnder(['emails: { from: A }'], { A: 'a@b.example' })).toEqual([
      {
        path: 'emails',
        column: 'A',
        value: 'a@b.example',
        ...problem('wrong_type', { expected: 'a list', got: 'text', hint: 'make it a list, or add split' }),
      },
    ])
    expect(errorsUnder(['emails: { from: A, split: ";" }'], { A: 'a@b.example' })).toEqual([
      {
        path: 'emails.0',
        column: 'A',
        value: 'a@b.example',
        ...problem('wrong_type', { expected: 'an object', got: 'text', hint: undefined }),
      },
    ])
    expect(errorsUnder(['url_details: { from: A }'], { A: 'x' })).toMatchObject([
      {
        path: 'url_details',
        ...problem('wrong_type', { expected: 'an object', got: 'text', hint: undefined }),
      },
    ])
  })

  it('a body is wrong if a time is no timestamp', () => {
    const [error] = errorsUnder(
      ['name: x', 'completed_at: { from: Done }'],
      { Done: 'yesterday' },
      'record: task',
    )
    expect(error).toEqual({
      path: 'completed_at',
      column: 'Done',
      value: 'yesterday',
      ...problem('wrong_type', {
        expected: 'a timestamp',
        got: 'text',
        hint: 'add as: datetime or as: date',
      }),
    })
  })

  it('a body is wrong if a value of a row brings a field that the record does not have', () => {
    expect(errorsUnder(['url_details: { from: A, as: json }'], { A: '{"domain":"x","blog":"y"}' })).toEqual([
      { path: 'url_details.blog', column: 'A', value: 'y', ...problem('unknown_field') },
    ])
  })

  it('a body may have unknown fields if they are allowed, and none of a wrong type', () => {
    const start = 'record: contact\nallow_unknown_fields: true'
    const lines = ['url_details: { from: A, as: json }', 'shoe_size: { from: B }', 'archived: { from: C }']
    const cells = { A: '{"domain":"x","blog":"y"}', B: '42' }
    expect(errorsUnder(lines, cells, start)).toEqual([])
    expect(errorsUnder(lines, { A: '{"domain":5}', C: 'no' }, start)).toEqual([
      {
        path: 'url_details.domain',
        column: 'A',
        value: 5,
        ...problem('wrong_type', { expected: 'text', got: 'a number', hint: undefined }),
      },
      {
        path: 'archived',
        column: 'C',
        value: 'no',
        ...problem('wrong_type', { expected: 'true or false', got: 'text', hint: 'add as: boolean' }),
      },
    ])
  })

  it('a body is reported in the same words where unknown fields are allowed', () => {
    const start = 'record: contact\nallow_unknown_fields: true'
    for (const [line, value] of [
      ['emails: { from: A, as: json }', '"x"'],
      ['emails: { from: A, as: json }', '["x"]'],
      ['url_details: { from: A, as: json }', '5'],
      ['assigned_user: { from: A, as: json }', '"x"'],
    ] as const)
      expect(errorsUnder([line], { A: value }, start)).toEqual(errorsUnder([line], { A: value }))
  })

  it('a body names the column of a value in a list of items from several columns', () => {
    const lines = [
      'custom_field_values:',
      '  - number_value: { from: A }',
      '  - number_value: { from: B, as: number }',
    ]
    const told = errorsUnder(lines, { A: 'x', B: '1' }, 'record: task')
    expect(told).toMatchObject([{ path: 'custom_field_values.0.number_value', column: 'A', value: 'x' }])
  })

  it('a body names the column of a value though items before it were left out', () => {
    const lines = ['custom_field_values:', '  - number_value: { from: A }', '  - number_value: { from: B }']
    const told = errorsUnder(lines, { A: '', B: 'x' }, 'record: task')
    expect(told).toMatchObject([{ path: 'custom_field_values.0.number_value', column: 'B', value: 'x' }])
  })

  it('a body names the column of an item inside each', () => {
    const lines = ['custom_field_values: { from: L, split: ";", each: { number_value: "{{.}}" } }']
    expect(errorsUnder(lines, { L: 'x' }, 'record: task')).toMatchObject([
      { path: 'custom_field_values.0.number_value', column: 'L', value: 'x' },
    ])
  })
})

/** A kind of record that has required fields, unlike those of the service. */
const part = requested({ size: text() }).extend({ name: text() })
const project = requested({ note: text(), parts: listOf(part) }).extend({ title: text() })

/** A mapping of such a record, whose faults are thrown; returns what finds the errors of a row. */
function projectsUnder(lines: readonly string[], allowUnknown = false) {
  const yaml = new LocatedYaml('m.yaml', ['body:', ...lines.map(line => `  ${line}`)].join('\n'))
  const { body } = yaml.content as { body: object }
  checkBody(yaml, body, project, allowUnknown)
  yaml.throwIfFaulty()
  const [columns, lookups] = [namedColumns(undefined), new Lookups()]
  const context = { yaml, columns, lookups, lookupNames: [], isOptional: false, path: '', at: ['body'] }
  const compiled = compileNode(body, context)
  const validate = bodyErrors(project, allowUnknown)
  return (cells: Record<string, unknown>) => {
    const row = rowOf(cells)
    return validate(compiled.evaluate(scopeOf(row)) as Body, compiled, row)
  }
}

describe('required field of a body', () => {
  const lines = ['title: "{{Title}}"', 'note: { from: Note }', 'parts: [{ name: { from: Part }, size: L }]']

  it.each([false, true])(
    'a required field that a row leaves empty is an error of the row, with its column (unknown fields: %s)',
    allowUnknown => {
      const errors = projectsUnder(lines, allowUnknown)
      expect(errors({ Title: 'A', Note: '', Part: '' })).toEqual([])
      expect(errors({ Title: '', Note: 'x', Part: 'y' })).toEqual([
        { path: 'title', column: 'Title', ...problem('required') },
      ])
    },
  )

  it('a required field is missing inside a value of a row, too', () => {
    const errors = projectsUnder(['title: x', 'parts: { from: Parts, as: json }'])
    expect(errors({ Parts: '[{"name":"a"},{"size":"L"}]' })).toEqual([
      { path: 'parts.1.name', column: 'Parts', ...problem('required') },
    ])
  })

  it('a required field that is null is of the wrong type', () => {
    const errors = projectsUnder(['title: { from: Title, empty: null }', 'note: x'])
    expect(errors({ Title: '' })).toEqual([
      {
        path: 'title',
        column: 'Title',
        ...problem('wrong_type', { expected: 'text', got: 'null', hint: undefined }),
      },
    ])
  })

  it('a required field that the mapping leaves out is a fault of the mapping, where it belongs', () => {
    const add = (name: string) => `the required field "${name}" is missing; add ${name}: { from: COLUMN }`
    expect(() => projectsUnder(['note: x'])).toThrow(`m.yaml:1:1: ${add('title')}`)
    expect(() => projectsUnder(['title: x', 'parts: [{ size: L }]'])).toThrow(`m.yaml:3:11: ${add('name')}`)
  })
})

const byOrderOf = (paths: readonly string[]) => (a: { path: string }, b: { path: string }) =>
  paths.indexOf(a.path) - paths.indexOf(b.path)
