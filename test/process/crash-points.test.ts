import { describe, expect, it } from 'vitest'
import { enumerate } from '../crash/enumerate.ts'
import { scenarios } from '../crash/scenarios.ts'
import { startTrialService } from '../crash/service.ts'
import { type Stage, setStage } from '../crash/stage.ts'
import { tempFolder } from '../support/cleanup.ts'
import { cases } from '../support/long.ts'

/** A folder and a service as a scenario of `npm run test:crash` finds them. */
async function stageOf(name: string): Promise<Stage> {
  const scenario = scenarios.find(each => each.name === name)
  if (scenario === undefined) throw new Error(`no scenario is ${name}`)
  return setStage(scenario, await tempFolder(), await startTrialService())
}

// A selection of `npm run test:crash`, which has every command that writes, every fault, and every call.
describe('command that writes, and meets a fault in the middle,', () => {
  it.each(
    cases(
      [
        ['an import by a power cut', 'few-tasks', 'power', 20],
        ['an import by an error of the disk after a call', 'few-tasks', 'late', 10],
        ['another key by a power cut', 'rekey', 'power', 10],
        ['an import of several files by a power cut', 'plan', 'power', 50],
        ['a resolve by a power cut', 'resolve-one', 'power', 20],
        ['what a person takes back by a power cut', 'resolve-replace-gone', 'power', 20],
        ['a forgetting by a power cut', 'forget', 'power', 10],
        ['a move by a power cut', 'move', 'power', 10],
      ] as const,
      4,
    ),
  )(
    'a command that meets a fault in the middle (%s) loses no row and makes none twice',
    async (_, scenario, fault, every) => {
      const { points, failures } = await enumerate(await stageOf(scenario), fault, { every })
      expect(failures).toEqual([])
      expect(points).toBeGreaterThan(1)
    },
    120_000,
  )
})
