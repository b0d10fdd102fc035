import { rmSync } from 'node:fs'
import type { Bodies } from './bodies.ts'
import type { PhaseCounts } from './gate.ts'
import { gotLoop } from './got-loop.ts'
import type { BenchContext } from './part.ts'
import { everyRowCreatedOnce } from './proof.ts'
import { importArgs, rowlift } from './rowlift.ts'
import type { Behaviour } from './service.ts'

/** Of `rowlift import --concurrency`. */
export const defaultConcurrency = 10

/** Imports so many rows with default settings; returns what the service counted. */
export async function pacedImport(
  rows: number,
  behaviour: Behaviour,
  { workspace, service }: BenchContext,
): Promise<readonly PhaseCounts[]> {
  const source = await workspace.contacts(rows)
  const log = workspace.path('paced.results.ndjson')
  rmSync(log, { force: true })
  await service.begin(behaviour)
  await rowlift(importArgs(source, log, service.url))
  return everyRowCreatedOnce(log, rows, service)
}

/** The bare loop of got before the same service. */
export async function pacedLoop(
  bodies: Bodies,
  behaviour: Behaviour,
  context: BenchContext,
): Promise<readonly PhaseCounts[]> {
  await context.service.begin(behaviour)
  await gotLoop(bodies, defaultConcurrency, context)
  return context.service.counts()
}

/** Runs it once in each round. */
export async function inRounds<T>(
  rounds: number,
  { say }: BenchContext,
  run: () => Promise<T>,
): Promise<T[]> {
  const results: T[] = []
  for (let round = 1; round <= rounds; round += 1) {
    say(`round ${round} of ${rounds}`)
    results.push(await run())
  }
  return results
}

/** Phase by phase, what was counted there in each round. Throws where a run ended before its last phase. */
export function byPhase(runs: readonly (readonly PhaseCounts[])[], phases: number): PhaseCounts[][] {
  return Array.from({ length: phases }, (_, at) =>
    runs.map(run => {
      const counts = run[at]
      if (counts === undefined)
        throw new Error(`a run ended before part ${at + 1} of what was to happen in it`)
      return counts
    }),
  )
}

/** Calls that were let in, per second of the phase. */
export const acceptedPerSecond = ({ accepted, startMs, endMs }: PhaseCounts): number =>
  (accepted * 1000) / (endMs - startMs)

/** Calls that could have been let in, per second of the phase: at that rate, and from what the bucket held at its start. */
export const allowedPerSecond = ({ heldAtStart, startMs, endMs }: PhaseCounts, rate: number): number =>
  rate + (heldAtStart * 1000) / (endMs - startMs)

/** Of all calls that arrived in a phase. */
export const refusedShare = ({ accepted, refused }: PhaseCounts): number => refused / (accepted + refused)
