import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CallOutcome, Duplicate, Outcome } from '../../../../src/model/outcome.ts'
import { type Describe, problem } from '../../../../src/model/problem.ts'
import type { RowIdentity } from '../../../../src/model/row.ts'
import {
  type Doubt,
  endsCall,
  givesRecord,
  intentLine,
  isKnownLine,
  isLogged,
  lineErrors,
  measuredRows,
  orphanDoubt,
  orphanLine,
  parseLine,
  parseOpening,
  previewLine,
  removedLine,
  resolvedLine,
  resultLine,
} from '../../../../src/store/files/lines.ts'
import { anyText } from '../../../support/any-text.ts'
import { openingLine as opening } from '../../../support/log-files.ts'

const at = new Date('2026-11-21T08:00:00.000Z')
const describeByCode: Describe = ({ code }) => `words of ${code}`
const identity = { source: 'a.csv', row: 1, line: 2, key: 'ann', hash: '0123456789abcdef' }
const sameAs = { source: 'a.csv', row: 7 }
const call = { identity, attempts: 2, durationMs: 30 }
const error = { path: 'name', column: 'Name', value: 5, body: '{}', ...problem('required') }
const omitted = [{ path: 'mail', column: 'Mail', value: 'x', code: 'not_email' as const }]
/** An outcome as if it could have every field. */
type AllFields = CallOutcome &
  Pick<Extract<CallOutcome, { status: 'created' | 'existing' }>, 'recordId' | 'notInAnswer'> &
  Pick<Duplicate, 'sameAs'> &
  Partial<Pick<Extract<CallOutcome, { status: 'in_doubt' }>, 'errors' | 'body'>>
const failed: Outcome = { ...call, status: 'failed', fault: 'refused', httpStatus: 400, errors: [error] }

/** The fields of a line, in their order. */
const fieldsOf = (line: string): object => JSON.parse(line)

const written = (outcome: Outcome) =>
  resultLine(outcome, { run: 'R1', at, record: 'contact', describe: describeByCode })

describe('line of an outcome', () => {
  const ofRow = { run: 'R1', at: at.toISOString(), ...identity }
  const ofCall = { record_type: 'contact', attempts: 2, duration_ms: 30 }
  const described = [
    { path: 'name', column: 'Name', value: 5, code: 'required', message: 'words of required', body: '{}' },
  ]

  it.each<[name: string, Outcome, object]>([
    [
      'created',
      { ...call, status: 'created', recordId: 'r1', throttled: 1, omitted, notInAnswer: ['name'] },
      { ...ofCall, record_id: 'r1', throttled: 1, omitted, not_in_answer: ['name'] },
    ],
    [
      'existing',
      { ...call, status: 'existing', recordId: 'r1', httpStatus: 200 },
      { ...ofCall, record_id: 'r1', http_status: 200 },
    ],
    [
      'merged',
      { ...call, status: 'merged', recordId: 'r1', sameAs },
      { ...ofCall, record_id: 'r1', same_as: sameAs },
    ],
    ['failed', failed, { ...ofCall, http_status: 400, errors: described }],
    [
      'in doubt',
      { ...call, status: 'in_doubt', fault: 'ambiguous', errors: [error], body: '{"name":1.0}' },
      { ...ofCall, errors: described, body: { name: 1 } },
    ],
    ['a duplicate', { identity, status: 'duplicate', sameAs, isLogged: false }, { same_as: sameAs }],
    ['invalid', { identity, status: 'invalid', errors: [error] }, { errors: described }],
  ])('the line of an outcome has what became of a row that is %s', (_, outcome, fields) => {
    expect(fieldsOf(written(outcome))).toEqual({ ...ofRow, status: outcome.status, ...fields })
  })

  it('the line of an outcome has its fields in their order, and a body as it was sent', () => {
    const doubt: Outcome = { ...call, status: 'in_doubt', fault: 'ambiguous', errors: [], body: '{"n":1.0}' }
    expect(written(doubt)).toMatch(
      /^\{"run":"R1","at":"2026-11-21T08:00:00\.000Z","source":"a\.csv","row":1,"line":2,"key":"ann","hash":"0123456789abcdef","status":"in_doubt","record_type":"contact","attempts":2,"duration_ms":30,"errors":\[\],"body":\{"n":1\.0\}\}$/,
    )
  })

  it('the line of an outcome is written, unless an earlier run wrote it', () => {
    const outcomes: Outcome[] = [
      failed,
      { identity, status: 'duplicate', sameAs, isLogged: false },
      { identity, status: 'duplicate', sameAs, isLogged: true },
      { identity, status: 'done', changed: true },
      { identity, status: 'held' },
    ]
    expect(outcomes.map(isLogged)).toEqual([true, true, false, false, false])
  })
})

describe('text of a line', () => {
  const text = fc.oneof(anyText(), fc.constantFrom('\ud800', '\udc00x', '\u2028', '\0\n"\\', 'Ü'))
  const count = fc.nat()
  const optional = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined })
  const some = <T extends object>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
    fc.record(fields, { requiredKeys: [] })
  const refs = fc.oneof(text, fc.dictionary(text, text))
  const rows = fc
    .record({ source: text, row: count, line: count, key: text, hash: text })
    .chain(named =>
      some({ ref: optional(refs), replaces: optional(text) }).map(more => ({ ...named, ...more })),
    )
  const details = fc.array(some({ path: text, column: text, value: optional(fc.jsonValue()), body: text }))
  const coded = details.map(all => all.map(each => ({ ...each, ...problem('required') })))
  const efforts = fc.record({ attempts: count, durationMs: count, identity: rows })
  const extras = some({ httpStatus: optional(count), throttled: optional(count), omitted: optional(coded) })
  const body = fc.json()
  const ends = fc.oneof(
    fc.record({
      status: fc.constantFrom('created', 'existing'),
      recordId: text,
      notInAnswer: optional(fc.array(text)),
    }),
    fc.record({
      status: fc.constant('merged'),
      recordId: text,
      sameAs: fc.record({ source: text, row: count }),
    }),
    fc.record({ status: fc.constant('failed'), errors: coded, fault: fc.constant('refused') }),
    fc.record({ status: fc.constant('in_doubt'), errors: coded, fault: fc.constant('ambiguous'), body }),
    fc.record({ status: fc.constant('invalid'), errors: coded }),
    fc.record({ status: fc.constant('duplicate'), sameAs: fc.record({ source: text, row: count }) }),
  )
  const outcomes = fc
    .tuple(efforts, extras, ends)
    .map(([effort, extra, end]) =>
      endsCall(end) ? { ...effort, ...extra, ...end } : { identity: effort.identity, ...end },
    )

  /** The same, made of an object with all fields. */
  const lineOf = (fields: object, body: string | undefined) => {
    const line = JSON.stringify(fields)
    return body === undefined ? line : `${line.slice(0, -1)},"body":${body}}`
  }
  const times = { run: 'R1', at: at.toISOString() }
  const placed = ({ source, row, line, key, hash, ref, replaces }: RowIdentity) => ({
    ...{ source, row, line, key, hash, ref, replaces },
  })

  it('the text of a line is that of all its fields as JSON, whatever they are', () => {
    fc.assert(
      fc.property(outcomes, outcome => {
        const { status, recordId, httpStatus, attempts, throttled, durationMs, ...more } =
          outcome as AllFields
        const effort = {
          ...{ record_type: 'contact', record_id: recordId, http_status: httpStatus, attempts, throttled },
          duration_ms: durationMs,
        }
        const fields = {
          ...{ ...times, ...placed(more.identity), status, ...(endsCall(outcome) && effort) },
          ...{ same_as: more.sameAs, omitted: more.omitted, not_in_answer: more.notInAnswer },
          errors: more.errors && lineErrors(more.errors, describeByCode),
        }
        expect(written(outcome as Outcome)).toBe(lineOf(fields, more.body))
      }),
    )
  })

  it('the text of a line has a call as it goes out', () => {
    fc.assert(
      fc.property(rows, body, (identity, body) => {
        const line = intentLine('R1', at, { identity, json: body })
        expect(line).toBe(lineOf({ ...times, ...placed(identity) }, body))
      }),
    )
  })
})

describe('line of a preview', () => {
  it.each<[name: string, Outcome, object]>([
    [
      'valid',
      { identity, status: 'valid', body: { name: 1 }, omitted },
      { status: 'valid', omitted, body: { name: 1 } },
    ],
    ['changed', { identity, status: 'done', changed: true }, { status: 'done', changed: true }],
    ['done', { identity, status: 'done', changed: false }, { status: 'done' }],
    ['held', { identity, status: 'held' }, { status: 'in_doubt' }],
    [
      'invalid and known',
      { identity, status: 'invalid', errors: [], known: true },
      { status: 'invalid', errors: [], known: true },
    ],
    ['invalid', { identity, status: 'invalid', errors: [] }, { status: 'invalid', errors: [] }],
  ])(
    'the line of a preview has neither run nor time nor checksum for a row that is %s',
    (_, outcome, fields) => {
      expect(JSON.parse(previewLine(outcome, 'contact', describeByCode))).toEqual({ ...identity, ...fields })
    },
  )
})

describe('lines of a run', () => {
  it('the lines of a run have each call before it goes out, and those that were taken back', () => {
    const line = intentLine('R1', at, { identity, json: '{"n":1.0}' })
    expect(fieldsOf(line)).toEqual({ run: 'R1', at: at.toISOString(), ...identity, body: { n: 1 } })
    expect(line).toContain('"body":{"n":1.0}')
    expect(fieldsOf(removedLine('R1', 'ann'))).toEqual({ run: 'R1', key: 'ann', over: true })
  })

  it('lines of a run are compared without the rows of a rejects file, if there are others', () => {
    expect(measuredRows({ rows: 5 })).toBe(5)
    expect(measuredRows({ rows: 5, returned: 2 })).toBe(3)
    expect(measuredRows({ rows: 5, returned: 5 })).toBeUndefined()
    expect(measuredRows({ rows: 0, returned: 0 })).toBe(0)
  })
})

describe('row in doubt', () => {
  const names = { ref: 'ann@x.org', replaces: 'h' }
  const orphan = { run: 'R0', at: 'then', ...identity, ...names, body: { name: 'Ann' } }
  const doubt: Doubt = orphanDoubt({ ...orphan, over: 'more' } as typeof orphan, 'task')

  it('a row in doubt has all that the intent log had of its call', () => {
    const fields = { ...orphan, status: 'in_doubt', record_type: 'task' }
    expect(doubt).toEqual({ ...fields, errors: [{ code: 'run_killed' }] })
    expect(fieldsOf(orphanLine(doubt, describeByCode))).toEqual({
      ...fields,
      errors: [{ code: 'run_killed', message: 'words of run_killed' }],
    })
  })

  it('a row in doubt is resolved with the record that was made, or without one', () => {
    const resolved = (recordId: string | undefined) =>
      fieldsOf(resolvedLine(doubt, { recordId }, { run: 'R2', at, describe: describeByCode }))
    const fields = {
      run: 'R2',
      at: at.toISOString(),
      ...identity,
      ...names,
      record_type: 'task',
      by_hand: true,
    }
    expect(resolved('r1')).toEqual({ ...fields, status: 'created', record_id: 'r1' })
    const errors = [{ code: 'settled_not_created', message: 'words of settled_not_created' }]
    expect(resolved(undefined)).toEqual({ ...fields, status: 'failed', errors })
  })
})

describe('line', () => {
  it('a line of a log is one that has a run', () => {
    const line = { run: 'R1', key: 'ann', hash: 'h', record_id: 'r1', status: 'created' }
    expect(parseLine(JSON.stringify(line))).toEqual(line)
    expect(parseLine('{"run":"R1"}')).toEqual({ run: 'R1' })
    for (const run of [5, undefined, null])
      expect(parseLine(JSON.stringify({ ...line, run }))).toBeUndefined()
    for (const text of ['', 'null', '5', '[]', '"R1"', '{"run":"R1"']) expect(parseLine(text)).toBeUndefined()
  })

  it('a line opens a run if it has the version', () => {
    expect(parseOpening(JSON.stringify(opening()))).toEqual(opening())
    expect(parseOpening('{"run":"R1","status":"created"}')).toBeUndefined()
    expect(parseOpening('no line')).toBeUndefined()
  })

  it('a line is known if this version has a meaning for it', () => {
    const isKnown = (fields: object) => isKnownLine({ run: 'R1', ...fields })
    const statuses = ['created', 'existing', 'merged', 'duplicate', 'invalid', 'failed', 'in_doubt']
    expect(statuses.map(status => isKnown({ status }))).toEqual(statuses.map(() => true))
    expect([{ rowlift: '9' }, { ended: { rows: 0 } }].map(isKnown)).toEqual([true, true])
    expect([{}, { status: 'postponed' }, { status: 'valid', rowlift: '9' }].map(isKnown)).toEqual([
      false,
      false,
      false,
    ])
  })

  it('a line gives a record, or ends a call without one, or neither', () => {
    const statuses = [
      'created',
      'existing',
      'merged',
      'failed',
      'in_doubt',
      'invalid',
      'duplicate',
      undefined,
    ]
    const [isRecord, isEnd] = [givesRecord, endsCall].map(is =>
      statuses.filter(status => is(status === undefined ? {} : { status })),
    )
    expect(isRecord).toEqual(['created', 'existing', 'merged'])
    expect(isEnd).toEqual(['created', 'existing', 'merged', 'failed', 'in_doubt'])
  })
})
