import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Ended, kills, type Point } from './command.ts'
import type { Stage } from './stage.ts'
import { exitCodeDue, isAllTold, remainsIn, rowFaults, settledIn, underWayIn } from './truth.ts'

/** One fault at one call, and what came of it. */
export interface Trial {
  /** The call that met the fault; undefined where the command ended before it came to that. */
  readonly hit: string | undefined
  /** What is wrong afterwards, in words. */
  readonly faults: readonly string[]
}

/** Runs a scenario into a fault, repeats the command until it has nothing left to do, and compares with the truth. */
export async function tryPoint(stage: Stage, point: Point): Promise<Trial> {
  stage.reset()
  const before = underWayIn(stage.folder)
  const met = await stage.meet(point)
  if (met.hit === undefined) return { hit: undefined, faults: [] }
  const faults = [...(await faultsOfMeeting(stage, point, met))]
  if (stage.isUntouched()) return { hit: met.hit, faults } // the next run is as the first one
  const underWay = new Set([...before, ...underWayIn(stage.folder)])
  const settled = stage.scenario.logs.flatMap(imported => {
    const rows = settledIn(stage.folder, imported)
    const isOpen = (name: string) => imported.rows.some(row => row.name === name && !rows.includes(row))
    return rows.filter(({ name }) => !isOpen(name)) // a row that is equal to another one may be due
  })
  const callsBefore = (await stage.service.truth()).calls.length
  faults.push(...(await faultsOfRepeating(stage, met)))
  const truth = await stage.service.truth()
  const again = new Set(truth.calls.slice(callsBefore))
  const { forgets = [], takesBack = [] } = stage.scenario
  for (const { row, name } of settled)
    if (again.has(name) && ![...forgets, ...takesBack].includes(name))
      faults.push(`row ${row} (${name}) was sent after its record was logged`)
  faults.push(...rowFaults({ ...stage, truth, underWay }))
  return {
    hit: met.hit,
    faults: faults.map(fault => `${fault}${met.exitCode === undefined ? '' : ` [${met.exitCode}]`}`),
  }
}

const endsIt = ({ fault }: Point) => kills.includes(fault) || fault.endsWith('=kill')
const ends = [0, 1, 2, 3, 4]

/** How the command may end that met the fault, and what it leaves for people. */
async function faultsOfMeeting(
  stage: Stage,
  point: Point,
  { exitCode, stderr, hit }: Ended,
): Promise<string[]> {
  const { scenario, folder, service } = stage
  const faults: string[] = []
  const isImport = scenario.words[0] === 'import'
  if (!endsIt(point)) {
    if (exitCode === undefined || !ends.includes(exitCode))
      faults.push(`ended with ${exitCode}: ${stderr.trim().slice(-300)}`)
    const { calls } = await service.truth()
    if (exitCode === 2 && calls.length > 0 && scenario.logs.length === 1)
      faults.push('ended with 2 and has sent something')
    if (exitCode === 4 && !hit?.includes('.lock') && !/ [0-9A-Z]{26}$/.test(hit ?? ''))
      faults.push('ended with 4')
    if (isImport && (exitCode === 0 || exitCode === 1)) {
      if (!isAllTold(stage)) faults.push(`ended with ${exitCode} and has not told every row`)
      if (exitCode === 0) faults.push(...faultsOfEndFiles(stage, exitCode))
    }
    if (isImport && exitCode === 0 && exitCodeDue(stage) !== 0)
      faults.push('ended with 0 and has rows without record')
  }
  if (endsIt(point) && exitCode !== undefined) faults.push('outlived its end')
  for (const { log } of scenario.damage === undefined ? scenario.logs : [])
    if (existsSync(join(folder, log)) && readFileSync(join(folder, log)).length > 0) {
      const read = await stage.run(['log', log])
      const isBegun = !read.stderr.includes('only the start of its first line')
      if (read.exitCode !== 0 && isBegun) faults.push(`the log cannot be read: ${read.stderr}`)
    }
  return faults
}

const endFiles: Readonly<Record<string, string>> = {
  '--summary': 'summary.json',
  '--metrics': 'rowlift.prom',
  '--report': 'page.html',
}

/** The files at the end of a run that ended well are there, and the summary has its exit code. */
function faultsOfEndFiles({ scenario, folder }: Stage, exitCode: number): string[] {
  const faults = Object.entries(endFiles)
    .filter(([flag, name]) => scenario.words.includes(flag) && !existsSync(join(folder, name)))
    .map(([, name]) => `has no ${name}`)
  const summary = join(folder, 'summary.json')
  if (scenario.words.includes('--summary') && existsSync(summary)) {
    const said = JSON.parse(readFileSync(summary, 'utf8')).exit_code
    if (said !== exitCode) faults.push(`ended with ${exitCode}, and the summary says ${said}`)
  }
  return faults
}

/** The same command again, and where it is no import, the import after it: then there is nothing left to do. */
async function faultsOfRepeating(stage: Stage, met: Ended): Promise<string[]> {
  const { scenario, folder } = stage
  const faults: string[] = []
  const repeat = async (words: readonly string[], isFine: (exitCode: number | undefined) => boolean) => {
    const { exitCode, stderr } = await stage.run(words)
    if (!isFine(exitCode))
      faults.push(`ended with ${exitCode} when it was repeated: ${stderr.trim().slice(-300)}`)
  }
  if (scenario.import !== undefined) {
    const before = textsOf(stage)
    await repeat(scenario.words, exitCode => exitCode === 0 || (scenario.isOnce === true && exitCode === 2))
    if (met.exitCode === 0 && textsOf(stage) !== before) faults.push('ended with 0 and had not done all')
  }
  await repeat(scenario.import ?? scenario.words, exitCode => exitCode === exitCodeDue(stage))
  faults.push(...faultsOfEndFiles(stage, exitCodeDue(stage)))
  const remains = remainsIn(folder)
  if (remains.length > 0) faults.push(`left ${remains.join(', ')}`)
  return faults
}

const textsOf = ({ scenario, folder }: Stage) =>
  scenario.logs.map(({ log }) => readFileSync(join(folder, log), 'utf8')).join('')
