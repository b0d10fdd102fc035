import { readFile, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import type { Random } from './random.ts'
import type { Line } from './rowlift.ts'

/**
 * Simulates a power loss on the log of a killed run: a part of the last line never reached the disk. Only an outcome can be lost that the intent log
 * does not name yet, and whose call is still there, or that needed no call.
 */
export async function tearLastLine(cwd: string, random: Random): Promise<void> {
  const log = join(cwd, 'results.ndjson')
  const text = await readFile(log).catch(() => Buffer.alloc(0))
  const start = text.lastIndexOf('\n', -2) + 1
  const line = parsed(text.subarray(start).toString())
  const [opening, ...calls] = await linesIn(`${log}.inflight`)
  const hadNoCall = line?.status === 'invalid' || line?.status === 'duplicate'
  const isOfLastRun = line?.key !== undefined && line.run === opening?.run
  const isNamed = calls.some(call => call?.log?.[1] === Number.parseInt(line?.crc32, 16))
  if (isOfLastRun && !isNamed && (hadNoCall || calls.some(call => call?.key === line.key)))
    await truncate(log, start + Math.floor(random() * (text.length - start)))
}

const linesIn = async (file: string): Promise<Line[]> =>
  (await readFile(file, 'utf8').catch(() => '')).split('\n').map(parsed)

/** What a line says, undefined when it is torn. */
function parsed(text: string): Line {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
