import { describe, expect, it } from 'vitest'
import { enumerate } from '../crash/enumerate.ts'
import { fewTasks } from '../crash/scenarios.ts'
import { startTrialService } from '../crash/service.ts'
import { setStage } from '../crash/stage.ts'
import { tempFolder } from '../support/cleanup.ts'

// A selection of `npm run test:crash`, which has every command that writes and every fault.
describe('an import of two tasks, one of which gets no answer,', () => {
  it.each([
    ['by a power cut after any call that changed a file', 'power', 20],
    ['by an error of the disk after any call that changed or closed a file', 'late', 20],
  ])(
    'that is ended %s loses no row and makes none twice',
    async (_, fault, fewest) => {
      const stage = await setStage(fewTasks, await tempFolder(), await startTrialService())
      const { points, failures } = await enumerate(stage, fault)
      expect(failures).toEqual([])
      expect(points).toBeGreaterThan(fewest)
    },
    120_000,
  )
})
