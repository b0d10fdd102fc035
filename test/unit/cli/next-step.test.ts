import { describe, expect, it } from 'vitest'
import { nextStep } from '../../../src/cli/next-step.ts'
import { Tally } from '../../../src/report/tally.ts'

const args = ['import', 'a.csv', '-m', 'm.yaml', '--dry-run']
const nextAfter = (ends: Partial<Tally['ends']>) =>
  nextStep(args, {
    dryRun: true,
    written: undefined,
    inDoubt: 0,
    resendsDoubts: false,
    tally: { ends: { ...new Tally().ends, ...ends }, stopReason: undefined, limitReached: undefined },
  })

describe('after a dry run', () => {
  it('the import of the first rows comes next', () => {
    expect(nextAfter({ valid: 3 })).toBe(
      'import five rows at first: rowlift import a.csv -m m.yaml --base-url URL --organization-id N --limit 5',
    )
  })

  it('nothing comes next where nothing would be sent', () => {
    expect(nextAfter({ done: 3, duplicate: 1 })).toBeUndefined()
  })
})
