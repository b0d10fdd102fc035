// A process of `npm run test:crash`: it enumerates the points of a scenario under a fault for each message.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { enumerate } from './enumerate.ts'
import { scenarios } from './scenarios.ts'
import { startTrialService } from './service.ts'
import { type Stage, setStage } from './stage.ts'

export interface Job {
  readonly scenario: string
  readonly fault: string
  readonly only: number | undefined
}

const inMemory = '/dev/shm' // a sync costs nothing there, and what it would save is taken away by the layer itself
const place = mkdtempSync(join(existsSync(inMemory) ? inMemory : tmpdir(), 'rowlift-crash-'))
const service = await startTrialService()
let stage: Stage | undefined

process.once('exit', () => {
  rmSync(place, { recursive: true, force: true })
})
process.on('disconnect', () => process.exit())
process.on('message', async ({ scenario, fault, only }: Job) => {
  const asked = scenarios.find(({ name }) => name === scenario)
  if (asked === undefined) throw new Error(`no scenario is ${scenario}`)
  if (stage?.scenario.name !== scenario) stage = await setStage(asked, place, service)
  process.send?.(await enumerate(stage, fault, { only }))
})
