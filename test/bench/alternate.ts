import { Bench } from 'tinybench'

export interface Contender {
  readonly name: string
  /** Does all the work once; returns the duration in milliseconds. */
  readonly once: () => Promise<number>
}

/**
 * Runs contenders in turn, so that whatever else the machine does meets them alike; gives the milliseconds of each, in
 * their order, round by round. A round is one iteration of each task of a tinybench. The statistics over rounds are ours,
 * for tinybench makes them over iterations of one task that follow each other, which would not alternate.
 */
export async function alternate(
  rounds: number,
  contenders: readonly Contender[],
  onRound: (round: number) => void,
): Promise<number[][]> {
  const bench = new Bench({ iterations: 1, time: 0, warmup: false, throws: true })
  for (const { name, once } of contenders)
    bench.add(name, async () => ({ overriddenDuration: await once() }), { async: true })
  const durationsMs = contenders.map(() => [] as number[])
  for (let round = 1; round <= rounds; round += 1) {
    onRound(round)
    bench.reset()
    const tasks = await bench.run()
    for (const [at, { name, result }] of tasks.entries()) {
      if (result.state !== 'completed') throw new Error(`${name} did not come to its end: ${result.state}`)
      durationsMs[at]?.push(result.latency.mean)
    }
  }
  return durationsMs
}
