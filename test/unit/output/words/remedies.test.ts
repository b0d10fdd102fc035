import { describe, expect, it } from 'vitest'
import type { ProblemCode } from '../../../../src/model/problem.ts'
import { remedyOf } from '../../../../src/output/words/remedies.ts'

const held = { log: 'my log.ndjson', doubts: 'held' } as const
const failed = (httpStatus: number | undefined, code = 'http_error') =>
  remedyOf({ status: 'failed', httpStatus, code }, held)
const invalid = (code: ProblemCode) => remedyOf({ status: 'invalid', httpStatus: undefined, code }, held)

describe('remedies for rows without a record', () => {
  it('the remedy for rows in doubt is to look in the service, unless it finds them itself', () => {
    const inDoubt = { status: 'in_doubt', httpStatus: 500, code: undefined } as const
    expect(remedyOf(inDoubt, held)).toContain("rowlift resolve 'my log.ndjson'")
    expect(remedyOf(inDoubt, { ...held, doubts: 'found_again' })).toMatch(/^Run the same command again/)
    expect(remedyOf(inDoubt, { ...held, doubts: 'sent_again' })).toContain('makes a second record')
  })

  it('the remedy for rows without a record goes by what the service answered', () => {
    expect(failed(undefined)).toContain('No call reached the service')
    expect(failed(422)).toContain('does not accept what was sent')
    expect(failed(404)).toContain('does not know an id in these rows')
    expect(failed(409)).toContain('conflicts with something in the service')
    expect(failed(413)).toContain('too large')
    expect(failed(429)).toContain('lower --concurrency')
    expect(failed(503)).toBe(failed(429))
    expect(failed(undefined, 'settled_not_created')).toMatch(/^Nothing is left to settle/)
  })

  it('the remedy for rows without a record goes by their faults, and names the rejects file', () => {
    expect(invalid('not_email')).toContain('--rejects FILE')
    expect(invalid('required')).toContain('Fill in the cells')
    expect(invalid('ragged')).toContain('The row itself is damaged')
    expect(invalid('linked_row_not_created')).toContain('Another row must be created first')
    expect(invalid('lookup_without_record')).toContain('Another row must be created first')
    expect(invalid('lookup_not_found')).toContain('must exist exactly once')
    expect(invalid('not_in_map')).toContain('Add the value to map:')
    expect(invalid('unknown_field')).toContain('Fix the mapping, not the rows')
    expect(invalid('wrong_type')).toContain('Fix the mapping, not the rows')
  })

  it('the remedy for rows without a record is a sentence for each status', () => {
    for (let status = 300; status < 600; status += 1) {
      expect(failed(status)).toMatch(/^[A-Z].+\. Then run the same command again: .+\.$/)
      expect(failed(status).length).toBeLessThan(450)
    }
    const dry = remedyOf(
      { status: 'invalid', httpStatus: undefined, code: undefined },
      { ...held, log: undefined },
    )
    expect(dry).toMatch(/Then do the dry run again\.$/)
  })
})
