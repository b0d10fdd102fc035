import { describe, expect, it } from 'vitest'
import { nextSteps } from '../../../src/cli/next-step.ts'
import { Tally } from '../../../src/report/tally.ts'
import { nextSentence } from '../../../src/report/text.ts'

const args = ['import', 'a.csv', '-m', 'm.yaml', '--dry-run']
const nextAfter = (ends: Partial<Tally['ends']>) =>
  nextSteps(args, {
    dryRun: true,
    written: undefined,
    inDoubt: 0,
    resendsDoubts: false,
    tally: { ends: { ...new Tally().ends, ...ends }, stopReason: undefined, limitReached: undefined },
  })

describe('after a dry run', () => {
  it('the import of the first rows comes next', () => {
    expect(nextSentence(nextAfter({ valid: 3 }))).toBe(
      'import five rows first: rowlift import a.csv -m m.yaml --base-url URL --organization-id N --limit 5',
    )
  })

  it('nothing comes next where nothing would be sent', () => {
    expect(nextAfter({ done: 3, duplicate: 1 })).toEqual([])
  })
})

describe('after an import with a file of rejected rows', () => {
  it('that file or the same command comes next', () => {
    const { ends } = new Tally()
    const next = nextSteps(['import', 'a.csv', '-m', 'm.yaml', '--rejects', 'bad.csv'], {
      ...{ dryRun: false, written: 'r.ndjson', inDoubt: 0, resendsDoubts: false },
      tally: { ends: { ...ends, failed: 2 }, stopReason: undefined, limitReached: undefined },
      rejects: { path: 'bad.csv', rows: 2 },
    })
    expect(next.map(({ args }) => args)).toEqual([
      ['import', 'bad.csv', '-m', 'm.yaml', '--results', 'r.ndjson', '--rejects', 'bad.again.csv'],
      ['import', 'a.csv', '-m', 'm.yaml', '--rejects', 'bad.csv'],
    ])
    expect(nextSentence(next)).toBe(
      'fix the rows in bad.csv, then import them: rowlift import bad.csv -m m.yaml --results r.ndjson --rejects bad.again.csv; or fix the cause, then run the same command again; it continues where this run ended: rowlift import a.csv -m m.yaml --rejects bad.csv',
    )
  })
})
