import { describe, expect, it } from 'vitest'
import { LookupTable } from '../../../src/mapping/lookups/table.ts'
import { mappingOf, rowOf } from '../../support/mappings.ts'

type Cells = Readonly<Record<string, unknown>>

/** A mapping whose lookup `users` has the key `ann@example.com`. */
function withUsers(body: object) {
  const mapping = mappingOf(body, { lookups: { users: { file: 'u.csv', key: 'Mail', value: 'id' } } })
  const table = new LookupTable('u.csv')
  table.add('ann@example.com', 17, 2)
  mapping.lookups.provide('users', table.find, table)
  return mapping
}

const factsOf = (mapping: ReturnType<typeof mappingOf>) => mapping.columnFacts([undefined])

describe('value that is left out', () => {
  it('a value that is left out is named with its path, column, text and the reason', () => {
    const mapping = withUsers({
      name: '{{Name}}',
      priority: { from: 'Prio', map: { P1: 'high' }, otherwise: 'omit' },
      started: { from: 'Start', as: 'date', otherwise: 'omit' },
      assigned_user_id: { from: 'Owner', lookup: 'users', missing: 'omit' },
    })
    const cells = { Name: 'Fix the roof', Prio: 'P9', Start: 'soon', Owner: 'Ann' }
    expect(mapping.map(rowOf(cells))).toEqual({
      body: { name: 'Fix the roof' },
      omitted: [
        { path: 'priority', column: 'Prio', value: 'P9', code: 'not_in_map' },
        { path: 'started', column: 'Start', value: 'soon', code: 'not_date' },
        { path: 'assigned_user_id', column: 'Owner', value: 'Ann', code: 'lookup_not_found' },
      ],
    })
  })

  it('a value that is left out is no empty cell, no mapped nothing, and no kept value', () => {
    const rule = { map: { P1: 'high', none: null }, otherwise: 'omit' }
    const mapping = mappingOf({ name: '{{Name}}', priority: { from: 'Prio', ...rule } })
    for (const Prio of ['', '  ', 'none', 'P1'])
      expect(mapping.map(rowOf({ Name: 'n', Prio }))).not.toHaveProperty('omitted')
    const kept = mappingOf({ name: { from: 'Name', as: 'email', otherwise: 'keep' } })
    expect(kept.map(rowOf({ Name: 'n' }))).not.toHaveProperty('omitted')
  })

  it('a value that is left out is named for each item of a list, by its place among all', () => {
    const mapping = mappingOf({
      name: '{{Name}}',
      emails: {
        from: 'Mails',
        split: ';',
        each: { email: { from: '.', as: 'email', otherwise: 'omit' } },
      },
      tags: { join: ['A', 'B'], with: ';', split: ';', map: { x: 'X' }, otherwise: 'omit' },
    })
    const result = mapping.map(rowOf({ Name: 'n', Mails: 'a@b.example; nope ;c@d.example', A: 'x', B: 'y' }))
    expect(result).toEqual({
      body: { name: 'n', emails: [{ email: 'a@b.example' }, { email: 'c@d.example' }], tags: ['X'] },
      omitted: [
        { path: 'emails.1.email', column: 'Mails', value: 'nope', code: 'not_email' },
        { path: 'tags.1', column: 'B', value: 'y', code: 'not_in_map' },
      ],
    })
    expect(factsOf(mapping).fallbacks).toEqual([
      { column: 'Mails', values: 3, omitted: 1, kept: 0 },
      { column: 'A', values: 1, omitted: 0, kept: 0 },
      { column: 'B', values: 1, omitted: 1, kept: 0 },
    ])
  })

  it('a value that is left out counts with a constant in its place, not with another value', () => {
    const to = (fallback: unknown, cells: Cells) =>
      withUsers({
        name: '{{Name}}',
        x: { from: 'Owner', lookup: 'users', missing: 'omit', default: fallback },
      }).map(rowOf({ Name: 'n', Owner: 'Ann', ...cells }))
    expect(to(1, {})).toMatchObject({ body: { x: 1 }, omitted: [{ path: 'x', value: 'Ann' }] })
    const other = { from: 'Mail', lookup: 'users', missing: 'omit' }
    expect(to(other, { Mail: 'ann@example.com' })).toEqual({ body: { name: 'n', x: '17' } })
    expect(to(other, { Mail: 'bob@example.com' })).toMatchObject({
      omitted: [{ value: 'Ann' }, { column: 'Mail', value: 'bob@example.com' }],
    })
    expect(to('{{Note}}', { Note: 'see Bob' })).toEqual({ body: { name: 'n', x: 'see Bob' } })
  })

  it('a value that is left out of an expression is the key that its lookup does not find', () => {
    const expr = '$lookup("users", Owner) or $lookup("users", Mail) ? "known" : "unknown"'
    const mapping = withUsers({ x: { expr, missing: 'omit' } })
    expect(mapping.map(rowOf({ Owner: 'Ann', Mail: 'ann@example.com' }))).toEqual({
      body: { x: 'known' },
      omitted: [{ path: 'x', column: 'Owner', value: 'Ann', code: 'lookup_not_found' }],
    })
    expect(factsOf(mapping).fallbacks).toEqual([{ column: 'Owner', values: 2, omitted: 1, kept: 0 }])
  })
})

describe('counts of a mapping', () => {
  const body = {
    name: { from: 'Name', required: true },
    x: { from: 'Owner', lookup: 'users', missing: 'omit' },
  }

  it('a mapping counts the values of a column that could be left out, and those that were', () => {
    const mapping = withUsers(body)
    for (const Owner of ['Ann', '', 'ANN@example.com', 'Bob']) mapping.map(rowOf({ Name: 'n', Owner }))
    mapping.map(rowOf({ Name: '', Owner: 'Cid' }))
    expect(factsOf(mapping).fallbacks).toEqual([{ column: 'Owner', values: 3, omitted: 2, kept: 0 }])
  })

  it('a mapping counts what a lookup was asked and what it had, with examples', () => {
    const mapping = withUsers(body)
    for (const Owner of ['Ann', 'Bob', '']) mapping.map(rowOf({ Name: '', Owner }))
    const searched = { table: 'u.csv', column: 'Mail', key: 'ann@example.com' }
    expect(factsOf(mapping).lookups).toEqual([
      { name: 'users', values: 2, hits: 0, missed: 'Ann', ...searched },
    ])
  })

  it('a mapping counts a row that had to wait once', () => {
    const lookups = { tasks: { self: true, by: 'Id' }, users: { file: 'u.csv', key: 'a', value: 'b' } }
    const rule = { from: 'Owner', lookup: 'users', missing: 'omit' }
    const mapping = mappingOf(
      { name: '{{Id}}', y: { from: 'Parent', lookup: 'tasks' }, x: rule },
      { lookups },
    )
    let isReady = false
    mapping.lookups.provide('users', new LookupTable('u.csv').find)
    mapping.lookups.provide('tasks', () =>
      isReady ? { type: 'found', value: 'id' } : { type: 'waits', on: 1 },
    )
    const row = rowOf({ Id: '2', Parent: '1', Owner: 'Ann' })
    expect(mapping.map(row)).toMatchObject({ waitsOn: [{ on: 1 }] })
    isReady = true
    expect(mapping.map(row)).toMatchObject({ body: { y: 'id' }, omitted: [{ path: 'x' }] })
    expect(factsOf(mapping)).toMatchObject({
      fallbacks: [{ column: 'Owner', values: 1, omitted: 1, kept: 0 }],
      lookups: [
        { name: 'users', values: 1 },
        { name: 'tasks', values: 1, hits: 1, column: 'Id' },
      ],
    })
  })
})

describe('value that is sent as it is', () => {
  it('a value that is sent as it is is named with its path, column, text and the reason, and counted by column', () => {
    const mapping = mappingOf({
      name: { from: 'Name', case: 'upper', as: 'email', otherwise: 'keep' },
      tags: { from: 'Tags', split: ';', map: { x: 'X' }, otherwise: 'keep' },
    })
    expect(mapping.map(rowOf({ Name: 'Ann', Tags: 'x; y' }))).toEqual({
      body: { name: 'ANN', tags: ['X', 'y'] },
      kept: [
        { path: 'name', column: 'Name', value: 'Ann', code: 'not_email' },
        { path: 'tags.1', column: 'Tags', value: 'y', code: 'not_in_map' },
      ],
    })
    expect(mapping.map(rowOf({ Name: 'ann@example.com', Tags: 'x' }))).not.toHaveProperty('kept')
    expect(factsOf(mapping).fallbacks).toEqual([
      { column: 'Name', values: 2, omitted: 0, kept: 1 },
      { column: 'Tags', values: 3, omitted: 0, kept: 1 },
    ])
  })

  it('a value that is sent as it is goes through the type that follows its map', () => {
    const rule = { from: 'Hours', map: { none: 0 }, as: 'number', otherwise: 'keep' }
    const mapping = mappingOf({ name: '{{Name}}', estimated_time: rule }, { record: 'task' })
    const sent = (Hours: string) => mapping.map(rowOf({ Name: 'n', Hours }))
    expect(sent('none')).toEqual({ body: { name: 'n', estimated_time: 0 } })
    expect(sent('7')).toMatchObject({
      body: { estimated_time: 7 },
      kept: [{ value: '7', code: 'not_in_map' }],
    })
    const other = mappingOf({ name: { ...rule, from: 'Name' } })
    expect(other.map(rowOf({ Name: 'many' }))).toMatchObject({
      body: { name: 'many' },
      kept: [{ value: 'many', code: 'not_number' }],
    })
  })

  it('a value that is sent as it is needs no default', () => {
    const mapping = mappingOf({ name: { from: 'A', map: { x: 'X' }, otherwise: 'keep', default: 'none' } })
    expect(mapping.map(rowOf({ A: 'y' }))).toMatchObject({ body: { name: 'y' }, kept: [{ value: 'y' }] })
  })
})
