import { rmSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type CpuProfile, microsecondsByShare, type Share } from './cpu-profile.ts'
import { median } from './figures.ts'
import { attempted, type BenchContext, type Part, type Table, wentWrong } from './part.ts'
import { everyRowCreatedOnce } from './proof.ts'
import { importArgs, measuredRowlift } from './rowlift.ts'

const head = ['stage', 'µs per row', 'share']

export const cpuByStage: Part = {
  title: 'CPU time per row, by stage',
  reading:
    "The CPU time of an import, all threads. It is split by the samples of a second import under Node's profiler: " +
    'each sample counts for the nearest frame of its stack that belongs to a stage.',
  measure: context =>
    attempted('CPU time by stage', context, () => measure(context), { head, rows: [[wentWrong, '–', '–']] }),
}

const labels: Readonly<Record<Share, string>> = {
  read: 'read: file, CSV',
  map: 'map: bodies, checks, names of rows',
  journal: 'journal: in-flight file, result log',
  call: 'call: got, connections, answers',
  rest: 'the rest: engine, summary',
  start: 'start: loading the program',
  native: 'outside of JavaScript',
  garbage: 'garbage collector',
}

async function measure(context: BenchContext): Promise<Table> {
  const { rounds, rows } = context.sizes.cpu
  const cpuMs: number[] = []
  for (let round = 1; round <= rounds; round += 1) {
    context.say(`round ${round} of ${rounds}`)
    cpuMs.push(await cpuOfImport(context))
  }
  context.say('under the profiler')
  const folder = context.workspace.path('profile')
  await cpuOfImport(context, ['--cpu-prof', '--cpu-prof-dir', folder])
  return tableOfShares(microsecondsByShare(await profileIn(folder)), (median(cpuMs) * 1000) / rows)
}

function tableOfShares(spent: ReadonlyMap<Share, number>, perRowUs: number): Table {
  const sum = [...spent.values()].reduce((total, us) => total + us, 0)
  const lineOf = (what: string, share: number) => [
    what,
    (perRowUs * share).toFixed(1),
    `${(share * 100).toFixed(1)}%`,
  ]
  const shares = Object.entries(labels) as [Share, string][]
  return {
    head,
    rows: [...shares.map(([share, label]) => lineOf(label, (spent.get(share) ?? 0) / sum)), lineOf('all', 1)],
  }
}

/** Imports once; returns the CPU time of the process. */
async function cpuOfImport(
  { workspace, service, sizes }: BenchContext,
  nodeFlags: readonly string[] = [],
): Promise<number> {
  const { rows, concurrency } = sizes.cpu
  const log = workspace.path('cpu.results.ndjson')
  rmSync(log, { force: true })
  await service.begin()
  const args = importArgs(await workspace.contacts(rows), log, service.url, concurrency)
  const { cpuMs } = await measuredRowlift(args, workspace.path('usage.json'), nodeFlags)
  await everyRowCreatedOnce(log, rows, service)
  return cpuMs
}

async function profileIn(folder: string): Promise<CpuProfile> {
  const [name, ...others] = await readdir(folder)
  if (name === undefined || others.length > 0)
    throw new Error('the profiler did not write exactly one profile')
  return JSON.parse(await readFile(join(folder, name), 'utf8'))
}
