import { describe, expect, it } from 'vitest'
import type { ParsedArgs } from '../../../src/cli/command.ts'
import { stepsAfter, type Unfinished } from '../../../src/cli/next-step.ts'
import { nextText } from '../../../src/output/text.ts'
import { RowCounts } from '../../../src/result/row-counts.ts'

const importing: ParsedArgs = { positionals: ['a.csv'], flags: { mapping: 'm.yaml' } }
const importingWith = (flags: ParsedArgs['flags']): ParsedArgs => ({
  ...importing,
  flags: { ...importing.flags, ...flags },
})

/** What comes next when rows ended so. */
const nextAfter = (
  ends: Partial<RowCounts['ends']>,
  left: Partial<Omit<Unfinished, 'tally'>> = {},
  tally: Partial<Unfinished['tally']> = {},
  given: ParsedArgs = importing,
) =>
  nextText(
    stepsAfter(given, {
      ...{ dryRun: false, exitCode: 1, logs: [], knowsService: true, isPlan: false, ...left },
      tally: {
        ends: { ...new RowCounts().ends, ...ends },
        stopReason: undefined,
        limitReached: undefined,
        ...tally,
      },
    }),
  )?.split('\n')

const log = (written: string, inDoubt: number, resendsDoubts = false) => ({
  ...{ written, in_doubt_total: inDoubt, resendsDoubts },
  ...{ unmet: [], questions: [], documents: [] },
})

describe('next step after a dry run', () => {
  const dry = (ends: Partial<RowCounts['ends']>, knowsService: boolean) =>
    nextAfter(ends, { dryRun: true, knowsService }, {}, importingWith({ dryRun: true }))

  it('the import of the first rows comes next, with what is not known yet', () => {
    expect(dry({ valid: 3 }, false)).toEqual([
      'Import five rows first:',
      '  rowlift import a.csv -m m.yaml --base-url URL --organization-id N --limit 5',
    ])
    expect(dry({ valid: 3 }, true)?.[1]).toBe('  rowlift import a.csv -m m.yaml --limit 5')
  })

  it('two ways to go on have a sentence and a command each', () => {
    expect(dry({ valid: 3, invalid: 1 }, true)).toEqual([
      'Fix the 1 invalid row or the mapping, and dry-run again:',
      '  rowlift import a.csv -m m.yaml --dry-run',
      'Or import the good rows, five rows first:',
      '  rowlift import a.csv -m m.yaml --limit 5',
    ])
  })

  it('a run of standard input needs the same rows again, and a result log', () => {
    const piped = { positionals: ['-'], flags: { mapping: 'm.yaml', dryRun: true } }
    expect(nextAfter({ valid: 3, invalid: 1 }, { dryRun: true, lacksLog: true }, {}, piped)).toEqual([
      'Fix the 1 invalid row or the mapping, and dry-run again, with the same rows on standard input:',
      '  rowlift import - -m m.yaml --dry-run',
      'Or import the good rows, five rows first, with the same rows on standard input:',
      '  rowlift import - -m m.yaml --results FILE --limit 5',
    ])
  })

  it('what is not as expected comes first, and no row goes out before', () => {
    const unmet = [{ code: 'too_few_rows', params: { expected: 900, actual: 4 } }] as const
    expect(
      nextAfter({ valid: 3, invalid: 1 }, { dryRun: true, logs: [{ ...log('r.ndjson', 0), unmet }] }),
    ).toEqual(['Look into what is not as expected, and dry-run again:', '  rowlift import a.csv -m m.yaml'])
  })

  it('nothing comes next if nothing would be sent', () => {
    expect(dry({ done: 3, duplicate: 1 }, true)).toBeUndefined()
  })
})

describe('next step after an import', () => {
  it('rows in doubt are settled first, and rows to fix are not forgotten', () => {
    expect(nextAfter({ invalid: 2, failed: 1, in_doubt: 1 }, { logs: [log('my log.ndjson', 1)] })).toEqual([
      'Look in the service for the 1 row in doubt, and settle it:',
      "  rowlift resolve 'my log.ndjson'",
      'Fix the cause of 2 invalid and 1 failed rows, then run the same command again; it continues where this run ended:',
      '  rowlift import a.csv -m m.yaml',
    ])
  })

  it('rows in doubt that the next run sends are named with it', () => {
    expect(nextAfter({ failed: 1 }, { logs: [log('r.ndjson', 4, true)] })).toEqual([
      'Fix the cause of 1 failed row, then run the same command again; it continues where this run ended, and sends the 4 rows in doubt once more:',
      '  rowlift import a.csv -m m.yaml',
    ])
  })

  it.each<[string, Partial<Unfinished['tally']>, RegExp]>([
    [
      'interrupted',
      { stopReason: { code: 'signal', params: { signal: 'SIGINT' } } },
      /^Run the same command/,
    ],
    ['stopped', { stopReason: { code: 'throttled', params: { minutes: 10 } } }, /^Fix the cause, then run/],
    [
      'at its limit',
      { limitReached: 5 },
      /^Look at the records, and fix the cause of 2 invalid rows; if they/,
    ],
  ])('rows in doubt are not forgotten if the run was %s', (_, tally, goesOn) => {
    const next = nextAfter({ invalid: 2 }, { logs: [log('r.ndjson', 1_200)] }, tally)
    expect(next?.slice(0, 2)).toEqual([
      'Look in the service for the 1,200 rows in doubt, and settle them:',
      '  rowlift resolve r.ndjson',
    ])
    expect(next?.[2]).toMatch(goesOn)
  })

  it('merged rows that are not expected are checked, and expected invalid rows need nothing', () => {
    const unmet = [{ code: 'too_many_merged', params: { expected: '0', actual: 7 } }] as const
    expect(nextAfter({ merged: 7 }, { logs: [{ ...log('r.ndjson', 0), unmet }] })).toEqual([
      'Check the rows that got the record of another row; the page has both:',
      '  rowlift report r.ndjson',
    ])
    const rejects = { rejects: 'bad.csv', rejected_rows: 3 }
    expect(
      nextAfter({ invalid: 3, merged: 7 }, { exitCode: 0, logs: [{ ...log('r.ndjson', 0), ...rejects }] }),
    ).toBeUndefined()
  })

  it('each log of a plan that holds rows in doubt has its command', () => {
    const logs = [log('o.ndjson', 1), log('p.ndjson', 0), log('t.ndjson', 2)]
    expect(nextAfter({ in_doubt: 3 }, { logs })?.filter(line => line.startsWith('  '))).toEqual([
      '  rowlift resolve o.ndjson',
      '  rowlift resolve t.ndjson',
    ])
  })

  it('another run that holds the log does the rest', () => {
    const held = {
      code: 'lock',
      params: { problem: { code: 'lock_lost', params: { log: 'r.ndjson' } } },
    } as const
    expect(nextAfter({ invalid: 1 }, { logs: [log('r.ndjson', 1)] }, { stopReason: held })).toBeUndefined()
  })

  it('the file of rejected rows or the same command comes next', () => {
    const rejecting = importingWith({ rejects: 'bad.csv' })
    const rejects = { rejects: 'bad.csv', rejected_rows: 2 }
    expect(
      nextAfter({ failed: 2 }, { logs: [{ ...log('r.ndjson', 0), ...rejects }] }, {}, rejecting),
    ).toEqual([
      'Fix the 2 rows in bad.csv, then import them:',
      '  rowlift import bad.csv -m m.yaml --results r.ndjson --rejects bad.again.csv',
      'Or fix the cause, and run the same command again; it continues where this run ended:',
      '  rowlift import a.csv -m m.yaml --rejects bad.csv',
    ])
  })
})
