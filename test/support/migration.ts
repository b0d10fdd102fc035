import { join } from 'node:path'
import { expect } from 'vitest'
import type { Clock } from '../../src/model/clock.ts'
import { pollOptions } from './polling.ts'
import { bodyOf, idOf, parentsIn, startCheckingService } from './references.ts'
import { folderWith, linesOf, rowlift, start } from './rowlift.ts'
import { madeBy, type Service, type ServiceOptions } from './service.ts'

/** Organizations, people that name them, and tasks that name people; each in a file, with its mapping. */
export const migrationFiles = {
  'o.csv': 'Name\nAcme\nBell\n',
  'p.csv': 'Name,Email,Company\nAda,ada@x.example, acme\nBob,bob@x.example,Bell\nCy,cy@x.example,\n',
  't.csv': 'Id,Name,Who\n1,Call,bob@x.example\n2,Write,ADA@x.example;cy@x.example\n3,Wait,\n',
  'o.yaml': 'record: contact\nkey: Name\nbody: { name: { from: Name, required: true } }\n',
  'p.yaml': `
record: contact
key: Email
lookups: { organizations: { step: organizations } }
body:
  name: "{{Name}}"
  parent: { record_id: { from: Company, lookup: organizations } }
`,
  't.yaml': `
record: task
key: Id
lookups: { people: { results: people.results.ndjson } }
body:
  name: "{{Name}}"
  contacts: { from: Who, split: ";", each: { record_id: { from: ".", lookup: people } } }
`,
} as const

/** The three steps, in an order in which none could begin if they ran as they stand. */
export const migrationSteps = `
steps:
  tasks: { source: t.csv, mapping: t.yaml }
  people: { source: p.csv, mapping: p.yaml }
  organizations: { source: o.csv, mapping: o.yaml }
`

/** A migration of three steps before a service that refuses what names no record of its own; `run` goes by the clock. */
export async function migrating(
  files: Readonly<Record<string, string>> = {},
  options: ServiceOptions = {},
  common = '',
  clock?: Clock,
) {
  const service = await startCheckingService(options)
  const plan = `base-url: ${service.url}\norganization-id: 7\n${common}${migrationSteps}`
  const cwd = await folderWith({ ...migrationFiles, 'plan.yaml': plan, ...files })
  const args = ['import', '--plan', 'plan.yaml']
  return {
    service,
    cwd,
    args,
    plan,
    log: (step: string) => join(cwd, `${step}.results.ndjson`),
    run: (...more: string[]) => rowlift([...args, ...more], { cwd, ...(clock && { clock }) }),
    begin: (...more: string[]) => start([...args, ...more], { cwd, stdin: '' }),
  }
}

/** The part of each step in the summary of a plan. */
export const stepsIn = ({ stderr }: { readonly stderr: string }) => {
  const summary = linesOf(stderr).find(line => line.msg === 'summary')
  return summary?.steps.map((step: { step: string; exit_code?: number }) => [step.step, step.exit_code])
}

/** Resolves when a call for the record of that name has arrived. */
export const callFor = (service: Service, name: string): Promise<void> =>
  expect.poll(() => service.calls.some(({ body }) => body.name === name), pollOptions).toBe(true)

const people = Array.from({ length: 14 }, (_, at) => `P${at}`)

/** Files of a migration with time to stop it: fourteen people of one organization, and a task for the first and the last. */
export const longMigration = {
  'p.csv': `Name,Email,Company\n${people.map(name => `${name},${name.toLowerCase()}@x.example,Bell\n`).join('')}`,
  't.csv': 'Id,Name,Who\n1,Call,p0@x.example;p13@x.example\n',
}

/** The same command again completes the long migration, and nothing is there twice. */
export async function expectCompleted({
  service,
  run,
}: Awaited<ReturnType<typeof migrating>>): Promise<void> {
  const last = await run()
  expect([last.exitCode, last.stderr]).toEqual([0, expect.any(String)])
  expect(madeBy(service)).toEqual(['Acme', 'Bell', 'Call', ...people].sort())
  expect(service.violations).toEqual([])
  expect(parentsIn(service)).toMatchObject({ P0: 'Bell', P13: 'Bell' })
  const ids = ['P0', 'P13'].map(name => ({ record_id: idOf(service, name) }))
  expect(bodyOf(service, 'Call')?.contacts).toEqual(ids)
}
