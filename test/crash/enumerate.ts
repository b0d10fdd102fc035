import type { Stage } from './stage.ts'
import { tryPoint } from './trial.ts'

/** A point at which something was wrong afterwards. */
export interface Failure {
  /** What ROWLIFT_CRASH_ONLY takes to repeat it. */
  readonly point: string
  readonly hit: string
  readonly faults: readonly string[]
}

export interface Enumerated {
  readonly points: number
  readonly failures: readonly Failure[]
}

/** The calls at which a command meets a fault: all of them, each of so many, or one alone. */
interface Choice {
  readonly only?: number | undefined
  readonly every?: number
}

/** Lets a command meet a fault at its first call, its second, and so on until it ends by itself. */
export async function enumerate(
  stage: Stage,
  fault: string,
  { only, every = 1 }: Choice = {},
): Promise<Enumerated> {
  const failures: Failure[] = []
  let points = 0
  for (let at = only ?? 1; ; at += every) {
    const { hit, faults } = await tryPoint(stage, { fault, at })
    if (hit === undefined) break
    points += 1
    if (faults.length > 0) failures.push({ point: `${stage.scenario.name}:${fault}:${at}`, hit, faults })
    if (only !== undefined) break
  }
  return { points, failures }
}
