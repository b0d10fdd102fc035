import type { ImportOptions, RowOutcome } from '../../src/index.ts'

/** A mapping of tasks, as a program has it. */
export const taskMapping = { record: 'task', key: 'Id', body: { name: '{{Name}}' } } as const

/** So many rows of tasks, numbered from 1. */
export const taskRows = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ Id: at + 1, Name: `Task ${at + 1}` }))

/** The options that every import into a service needs. */
export const intoService = (baseUrl: string, results: string): ImportOptions => ({
  mapping: taskMapping,
  results,
  baseUrl,
  organizationId: 7,
  token: 'a-secret-token',
})

/** All outcomes of a run, in the order of their rows. */
export async function collected(run: AsyncIterable<RowOutcome>): Promise<RowOutcome[]> {
  const outcomes: RowOutcome[] = []
  for await (const outcome of run) outcomes.push(outcome)
  return outcomes.sort((a, b) => a.row - b.row)
}

/** Runs what is waiting, and what that brings about, until a condition holds. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(resolve => setTimeout(resolve, 5))
}
