// `npm run test:crash`: every command that writes, under every fault at every call. ROWLIFT_CRASH_ONLY=scenario:fault:point repeats
// a part of it. Its progress goes to stderr, its result to stdout.
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { endChildren, forkChild } from '../bench/children.ts'
import { markdownTable } from '../bench/table.ts'
import { errors, kills, traces } from './command.ts'
import type { Enumerated, Failure } from './enumerate.ts'
import { scenarios } from './scenarios.ts'
import type { Job } from './worker.ts'

const worker = fileURLToPath(new URL('./worker.js', import.meta.url))
const say = (text: string) => process.stderr.write(`${text}\n`)

const faults = [...errors, ...kills, ...traces]
const jobs = jobsFor(process.env.ROWLIFT_CRASH_ONLY)
const ends = new Map<string, Enumerated>()
const idOf = ({ scenario, fault }: Pick<Job, 'scenario' | 'fault'>) => `${scenario}:${fault}`

process.once('exit', endChildren)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
async function main(): Promise<number> {
  if (jobs.length === 0) {
    say(
      `No point is ${process.env.ROWLIFT_CRASH_ONLY}. Scenarios: ${scenarios.map(({ name }) => name).join(', ')}.`,
    )
    say(`Faults: ${faults.join(', ')}.`)
    return 2
  }
  if (traces.length === 0) say('strace is not there: the calls of the system itself are left out.')
  const startedMs = performance.now()
  const due = [...jobs]
  await Promise.all(Array.from({ length: Math.min(availableParallelism() + 1, due.length) }, () => work(due)))
  tell(Math.round((performance.now() - startedMs) / 1_000))
  return failuresOf([...ends.values()]).length > 0 ? 1 : 0
}

function jobsFor(words = ''): Job[] {
  const [scenario, fault, only] = words.split(':')
  return scenarios
    .filter(({ name }) => !scenario || name === scenario)
    .flatMap(({ name, isTraced }) =>
      (isTraced ? [...errors, ...kills, ...traces] : [...errors, ...kills]).map(each => ({
        scenario: name,
        fault: each,
        only: only ? Number(only) : undefined,
      })),
    )
    .filter(job => !fault || job.fault === fault)
}

/** One process does one job after the other; it waits for children itself, so there is one process more than there are cores. */
async function work(due: Job[]): Promise<void> {
  const child = forkChild(worker)
  for (let job = due.shift(); job !== undefined; job = due.shift()) {
    const end = await done(child, job)
    ends.set(idOf(job), end)
    say(`${idOf(job)} ${end.points} points${end.failures.length > 0 ? `, ${end.failures.length} WRONG` : ''}`)
    for (const failure of end.failures) say(told(failure))
  }
  child.disconnect()
  await once(child, 'exit')
}

async function done(child: ChildProcess, job: Job): Promise<Enumerated> {
  child.send(job)
  const gone = once(child, 'exit').then(([code]) => {
    throw new Error(`the process of ${idOf(job)} ended with ${code}`)
  })
  const [end] = await Promise.race([once(child, 'message'), gone])
  return end as Enumerated
}

const failuresOf = (some: readonly Enumerated[]): Failure[] => some.flatMap(({ failures }) => failures)

const told = ({ point, hit, faults }: Failure) =>
  [`  ROWLIFT_CRASH_ONLY=${point} (${hit})`, ...faults.map(fault => `    ${fault}`)].join('\n')

function tell(seconds: number): void {
  const columns = [...errors, ...kills].map(fault => [fault, [fault]] as const)
  const groups = [...columns, ['strace', traces] as const].filter(([, some]) =>
    jobs.some(({ fault }) => some.includes(fault)),
  )
  const pointsOf = (some: readonly Job[]) =>
    some.reduce((sum, job) => sum + (ends.get(idOf(job))?.points ?? 0), 0)
  const rows = [...new Set(jobs.map(({ scenario }) => scenario))].map(name => {
    const own = jobs.filter(({ scenario }) => scenario === name)
    const points = groups.map(([, some]) => pointsOf(own.filter(({ fault }) => some.includes(fault))))
    return [name, ...[...points, pointsOf(own)].map(String)]
  })
  process.stdout.write(`${markdownTable(['', ...groups.map(([name]) => name), 'points'], rows)}\n`)
  const failures = failuresOf([...ends.values()])
  process.stdout.write(`${pointsOf(jobs)} points in ${seconds} s: ${failures.length} wrong\n`)
  if (failures.length > 0) process.stdout.write(`${failures.map(told).join('\n')}\n`)
}

process.exitCode = await main()
