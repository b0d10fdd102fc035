import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { summaryJsonSchema } from '../../../scripts/json-schemas.js'
import { summarySchema } from '../../../src/result/summary-schema.ts'
import { commandSummary } from '../../../src/run/outputs.ts'
import { commandEnd, importPart } from '../../support/command-end.ts'
import { checkedSummary } from '../../support/end-files.ts'

describe('config/summary.schema.json', () => {
  const file = fileURLToPath(new URL('../../../config/summary.schema.json', import.meta.url))

  it('config/summary.schema.json is what `npm run schema` makes of the schema of summaries', async () => {
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(
      JSON.parse(JSON.stringify(summaryJsonSchema(summarySchema))),
    )
  })

  it('config/summary.schema.json says of every field what it is', () => {
    const { properties } = summaryJsonSchema(summarySchema) as unknown as {
      properties: Record<string, { description?: string }>
    }
    expect(Object.keys(properties).length).toBeGreaterThan(40)
    expect(Object.entries(properties).filter(([, { description }]) => !description)).toEqual([])
  })
})

describe('the summary of a plan', () => {
  const end = commandEnd(
    [importPart('organizations', 0), importPart('people', 3), importPart('tasks', undefined)],
    {
      exitCode: 3,
    },
  )

  it('the summary of a plan has each step by its name, those that were not come to among them', () => {
    const { steps, ...rest } = checkedSummary(JSON.stringify(commandSummary(end)))
    expect(rest).toMatchObject({ exit_code: 3, finished: false })
    expect(rest).not.toHaveProperty('rows')
    expect(steps).toMatchObject({
      organizations: { exit_code: 0, finished: true, rows: 1, row_counts: { left_out: 1 } },
      people: { exit_code: 3 },
      tasks: { exit_code: 3, finished: false, results: '/srv/tasks' },
    })
    expect(steps.tasks).not.toHaveProperty('rows')
  })

  it('the summary of a plan says what to do next once, not in each step', () => {
    const { next, steps } = checkedSummary(
      JSON.stringify(commandSummary({ ...end, next: [{ advice: 'Go on', args: ['import'] }] })),
    )
    expect(next).toBe('Go on:\n  rowlift import')
    for (const step of Object.values(steps)) expect(step).not.toHaveProperty('next')
  })
})
