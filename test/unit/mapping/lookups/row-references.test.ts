import { describe, expect, it } from 'vitest'
import { type ReferenceLine, RowReferences } from '../../../../src/mapping/lookups/row-references.ts'
import { endOfSources, type Refs, type RowIdentity } from '../../../../src/model/row.ts'
import { nilUuid } from '../../../../src/model/values.ts'
import { describeProblem } from '../../../../src/output/words.ts'
import { rowOf } from '../../../support/mappings.ts'
import { type OutcomeFields, outcomeOf } from '../../../support/outcomes.ts'

/** A row of `rows.csv` whose key is its name in small letters, unless another is given. */
const origin = (
  row: number,
  name: string | Refs | undefined,
  key = String(name).toLowerCase(),
): RowIdentity => ({
  ...{ source: 'rows.csv', row, line: row + 1, key, hash: '' },
  ref: name,
})

/** A row as the sources give it, of which only the order counts here. */
const rowAt = (row: number) => rowOf({}, row)
const take = (rows: RowReferences, ...origins: readonly RowIdentity[]) => {
  for (const each of origins) rows.takeRow(rowAt(each.row), each)
}

const [rejected, repaired] = ['0123456789abcdef', 'fedcba9876543210']

const created = (recordId: string): OutcomeFields => ({
  status: 'created',
  recordId,
  attempts: 1,
  durationMs: 1,
})
const invalid: OutcomeFields = { status: 'invalid', errors: [] }
const duplicate: OutcomeFields = {
  status: 'duplicate',
  sameAs: { source: 'rows.csv', row: 1 },
  isLogged: false,
}

/** References over rows that are read ahead, then the log, then rows that are read during the import. */
function referencesTo({
  ahead = [],
  log = [],
  firstLine = 1,
  rows = [],
  columns = ['Name'],
}: {
  readonly ahead?: readonly RowIdentity[]
  readonly log?: readonly ReferenceLine[]
  readonly firstLine?: number
  readonly rows?: readonly RowIdentity[]
  readonly columns?: readonly string[]
}): RowReferences {
  const references = new RowReferences(columns, 'results.ndjson')
  for (const each of ahead) references.addRow(each)
  for (const [at, line] of log.entries()) references.addLine(line, firstLine + at)
  take(references, ...rows)
  references.complete()
  return references
}

const rowsOf = (...ahead: readonly RowIdentity[]) => referencesTo({ ahead })

/** What is found under a name: a record, or the words of what is wrong. */
function find(rows: RowReferences, name: string, column = 'Name'): string {
  const found = rows.by(column)(name, rowAt(1))
  if (found.type === 'found') return `record ${found.value}`
  return found.type === 'waits' ? `waits on ${found.on}` : `${found.type}: ${describeProblem(found.problem)}`
}

describe('rows of an import', () => {
  it('rows of an import wait for the end of the sources while another of the same name may come', () => {
    const rows = new RowReferences(['Name'], 'results.ndjson')
    take(rows, origin(1, 'A'))
    rows.settle(outcomeOf(created('id'), origin(1, 'A')))
    expect(find(rows, 'A')).toBe(`waits on ${endOfSources}`)
    expect(find(rows, 'nobody')).toBe(`waits on ${endOfSources}`)
    rows.complete()
    expect(find(rows, 'A')).toBe('record id')
    expect(find(rows, 'nobody')).toBe(
      'missing: matches no row: no row has this value in the column Name; set missing: omit to leave the field out',
    )
  })

  it('rows of an import are waited for until they have their end', () => {
    const rows = rowsOf(origin(1, 'A'), origin(2, 'B'))
    expect(find(rows, 'b')).toBe(`waits on ${rows.numberOf('b')}`)
    rows.settle(outcomeOf(created('id of B'), origin(2, 'B')))
    expect(find(rows, ' b ')).toBe('record id of B')
    expect(find(rows, 'A')).toBe(`waits on ${rows.numberOf('a')}`)
  })

  const openingLine = { run: '1', ref_columns: ['Name'] }
  const rejectedLine = { run: '1', status: 'invalid', key: 'nope', hash: rejected, ref: 'Bob' }
  const replacingLine = {
    ...{ run: '2', status: 'created', key: 'bob@example.com', hash: repaired, replaces: rejected },
    ...{ record_id: 'id of Bob', ref: 'Bob' },
  }
  const log = [openingLine, rejectedLine, { ...openingLine, run: '2' }, replacingLine]

  it('rows of an import that were refused and replaced have the record of those in their place', () => {
    const ahead = referencesTo({ ahead: [origin(1, 'Bob', 'nope')], log })
    expect(find(ahead, 'Bob')).toMatch('waits on')
    ahead.settle(outcomeOf({ status: 'done', changed: false }, origin(1, 'Bob', 'nope')))
    expect(find(ahead, 'Bob')).toBe('record id of Bob')
    const once = referencesTo({ log, rows: [origin(1, 'Bob', 'nope')] })
    once.settle(outcomeOf({ status: 'done', changed: false }, origin(1, 'Bob', 'nope')))
    expect(find(once, 'Bob')).toBe('record id of Bob')
  })

  it('rows of an import that were replaced and now read otherwise have their own records', () => {
    const rows = referencesTo({ ahead: [origin(1, 'Cy', 'nope')], log })
    expect(find(rows, 'Cy')).toMatch('waits on')
    rows.settle(outcomeOf(created('id of Cy'), origin(1, 'Cy', 'nope')))
    expect([find(rows, 'Cy'), find(rows, 'Bob')]).toEqual(['record id of Cy', 'record id of Bob'])
  })

  it('rows of an import that share the bad key of one that was replaced have not its record', () => {
    const rows = referencesTo({ ahead: [origin(1, 'Bob', 'nope'), origin(2, 'Cy', 'nope')], log })
    rows.settle(outcomeOf({ status: 'done', changed: false }, origin(1, 'Bob', 'nope')))
    rows.settle(outcomeOf(invalid, origin(2, 'Cy', 'nope')))
    expect(find(rows, 'Cy')).toMatch(/^unusable: .*rows.csv row 2/)
  })

  it.each([
    ['invalid', 'is invalid'],
    ['failed', 'failed'],
    ['in_doubt', 'is in doubt'],
    ['held', 'is in doubt'],
  ] as const)('rows of an import that end %s have no record', (status, words) => {
    const rows = rowsOf(origin(1, 'A'))
    rows.settle(outcomeOf({ status } as OutcomeFields, origin(1, 'A')))
    expect(find(rows, 'A')).toBe(
      `unusable: names rows.csv row 1, which ${words}; this row is tried again in the next run`,
    )
  })

  it('rows of an import have the id of zeros in a dry run', () => {
    const rows = rowsOf(origin(1, 'A'))
    rows.settle(outcomeOf({ status: 'valid', body: {} }, origin(1, 'A')))
    expect(find(rows, 'A')).toBe(`record ${nilUuid}`)
  })

  it('rows of an import that are duplicates stand for the row of the same key', () => {
    const rows = rowsOf(origin(1, 'A', '1'), origin(2, 'Alias', '1'))
    rows.settle(outcomeOf(duplicate, origin(2, 'Alias', '1')))
    expect(find(rows, 'Alias')).toBe(`waits on ${rows.numberOf('1')}`)
    rows.settle(outcomeOf(created('id'), origin(1, 'A', '1')))
    expect([find(rows, 'A'), find(rows, 'Alias')]).toEqual(['record id', 'record id'])
  })

  it('rows of an import of one name and different keys are more than one, and both are named', () => {
    const rows = rowsOf(origin(1, 'A', '1'), origin(7, 'a', '2'), origin(9, 'A', '3'))
    expect(find(rows, 'A')).toBe(
      'unusable: is ambiguous: rows.csv row 1 and rows.csv row 9 differ; make it unique',
    )
    expect(find(rows, ' A')).toContain('rows.csv row 1 and rows.csv row 7 differ')
    expect(find(rows, 'a')).toBe(`waits on ${rows.numberOf('2')}`)
  })

  it('rows of an import may be named by several columns', () => {
    const rows = referencesTo({
      columns: ['Id', 'Name'],
      rows: [origin(1, { Id: '1', Name: '2' }, 'x'), origin(2, { Id: '2' }, 'y')],
    })
    rows.settle(outcomeOf(created('id of x'), origin(1, undefined, 'x')))
    rows.settle(outcomeOf(created('id of y'), origin(2, undefined, 'y')))
    expect([find(rows, '2', 'Id'), find(rows, '2', 'Name')]).toEqual(['record id of y', 'record id of x'])
    expect(find(rows, '1', 'Name')).toContain('matches no row')
  })

  it('rows of an import that came once and not again are reported as such', () => {
    const rows = rowsOf(origin(1, 'A'))
    rows.giveUp(rows.numberOf('a'))
    expect(find(rows, 'A')).toContain('and is missing now')
  })

  it('rows of an import that failed stay failed when a duplicate of theirs comes later', () => {
    const rows = rowsOf(origin(1, 'A'), origin(2, 'A'))
    rows.settle(outcomeOf({ status: 'failed' } as OutcomeFields, origin(1, 'A')))
    take(rows, origin(2, 'A'))
    rows.settle(outcomeOf(duplicate, origin(2, 'A')))
    expect(find(rows, 'A')).toContain('names rows.csv row 1, which failed')
  })

  it('rows of an import keep their record when a later row of their key is invalid', () => {
    const rows = rowsOf(origin(1, 'A'))
    rows.settle(outcomeOf(created('id'), origin(1, 'A')))
    rows.settle(outcomeOf(invalid, origin(2, undefined, 'a')))
    expect(find(rows, 'A')).toBe('record id')
  })
})

describe('rows of earlier runs', () => {
  const logged = (...log: readonly ReferenceLine[]) => referencesTo({ log, firstLine: 2 })

  it('rows of earlier runs are found by what the log tells, when no source holds them any more', () => {
    expect(
      find(logged({ run: 'r', status: 'created', key: '1', ref: { Name: 'A' }, record_id: 'id' }), 'a'),
    ).toBe('record id')
    expect(find(logged({ run: 'r', status: 'created', key: '1', record_id: 'id' }), '1')).toContain(
      'matches no row',
    )
  })

  it('rows of earlier runs that have no record are reported with the line of the log', () => {
    expect(find(logged({ run: 'r', status: 'failed', key: '1', ref: { Name: 'A' } }), 'A')).toBe(
      'unusable: names a row that failed (results.ndjson:2) and is not in these sources; add it to the sources again',
    )
  })

  it('rows of earlier runs have the record of any of their lines, whatever duplicates say', () => {
    const rows = logged(
      { run: 'r', status: 'in_doubt', key: '1', ref: { Name: 'A' } },
      { run: 'r', status: 'created', key: '1', record_id: 'id' },
      { run: 'r', status: 'failed', key: '1', ref: { Name: 'A' } },
      { run: 'r', status: 'duplicate', key: '1', ref: { Name: 'B' } },
    )
    expect([find(rows, 'A'), find(rows, 'B')]).toEqual(['record id', 'record id'])
  })

  it('rows of earlier runs are one with the row of their key that the source holds', () => {
    const rows = referencesTo({
      log: [{ run: 'r', status: 'failed', key: 'a', ref: { Name: 'A' } }],
      firstLine: 2,
      rows: [origin(1, 'A')],
    })
    expect(find(rows, 'A')).toBe(`waits on ${rows.numberOf('a')}`)
    rows.settle(outcomeOf(created('id'), origin(1, 'A')))
    expect(find(rows, 'A')).toBe('record id')
  })

  it('rows of earlier runs are more than one with a row of another key, and the line is named', () => {
    const rows = referencesTo({
      log: [{ run: 'r', status: 'created', key: 'old', ref: { Name: 'A' }, record_id: 'id' }],
      firstLine: 5,
      rows: [origin(1, 'A')],
    })
    expect(find(rows, 'A')).toContain('rows.csv row 1 and results.ndjson:5 differ')
  })

  it('rows of earlier runs that were refused give way to a mended row with another key', () => {
    const rows = referencesTo({
      log: [{ run: 'r', status: 'invalid', key: 'sha256:old#1', ref: { Name: 'A' } }],
      firstLine: 2,
      rows: [origin(1, 'A', 'sha256:new#1')],
    })
    rows.settle(outcomeOf(created('id'), origin(1, 'A', 'sha256:new#1')))
    expect(find(rows, 'A')).toBe('record id')
  })

  it('rows of earlier runs that have another name now are not under the old one', () => {
    const line = { run: 'r', status: 'created', key: '1', ref: { Name: 'A' }, record_id: 'id of 1' }
    const now = [origin(1, 'A old', '1'), origin(2, 'A', '2')]
    for (const rows of [
      referencesTo({ ahead: now, log: [line] }),
      referencesTo({ log: [line], rows: now }),
    ]) {
      rows.settle(outcomeOf(created('id of 2'), origin(2, 'A', '2')))
      expect(find(rows, 'A')).toBe('record id of 2')
      expect(find(rows, 'A old')).toBe('record id of 1')
    }
  })

  it('rows of earlier runs keep their record when a row of their key is invalid now', () => {
    const rows = referencesTo({
      log: [{ run: 'r', status: 'created', key: 'a', ref: { Name: 'A' }, record_id: 'id' }],
      firstLine: 2,
      rows: [origin(1, 'A')],
    })
    rows.settle(outcomeOf(invalid, origin(1, 'A')))
    expect(find(rows, 'A')).toBe('record id')
  })
})
