import { rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Contender } from './alternate.ts'
import type { Bodies } from './bodies.ts'
import { curlArgs, curlConfig, curlIsHere, runCurl } from './curl.ts'
import { gotLoop } from './got-loop.ts'
import type { Measured } from './measured.ts'
import type { BenchContext } from './part.ts'
import { calledExactly, everyRowCreatedOnce } from './proof.ts'
import type { AnswerSize } from './record.ts'
import { createPath, environmentFor, importArgs, measuredRowlift, summaryOf, token } from './rowlift.ts'

/** Calls that are to be made, one for each body. */
export interface Calls {
  readonly bodies: Bodies
  readonly concurrency: number
  /** Of the service, with TLS or without. */
  readonly url: string
  readonly answers: AnswerSize
}

/** One that also knows what each of its runs took: without the start of its process, and in CPU time. */
export interface CallContender extends Contender {
  readonly withoutStartMs: readonly number[]
  readonly cpuMs: readonly number[]
}

const noSync = fileURLToPath(new URL('./no-sync.js', import.meta.url))

/** An import, or what it would be if no sync took time; it looks afterwards whether every row was created once. */
export function importOf(calls: Calls, { workspace, service }: BenchContext, syncs = true): CallContender {
  const { bodies, concurrency, url, answers } = calls
  const rows = bodies.texts.length
  const log = workspace.path('calls.results.ndjson')
  const run = async () => {
    rmSync(log, { force: true })
    const args = importArgs(await workspace.contacts(rows), log, url, concurrency)
    await service.begin({ answers })
    const env = { ...environmentFor(url), ...(!syncs && { NODE_OPTIONS: `--import ${noSync}` }) }
    const ended = await measuredRowlift(args, workspace.path('usage.json'), [], env)
    await everyRowCreatedOnce(log, rows, service)
    return ended
  }
  return contender(syncs ? 'rowlift' : 'ceiling', run, ended => summaryOf(ended).duration_ms)
}

/** The bare loop of got. */
export function gotOver({ bodies, concurrency, url, answers }: Calls, context: BenchContext): CallContender {
  const run = async () => {
    await context.service.begin({ answers })
    return gotLoop(bodies, concurrency, context, url)
  }
  return contender('got', run, ({ stdout }) => Number(stdout))
}

function contender(
  name: string,
  run: () => Promise<Measured>,
  withoutStart: (ended: Measured) => number,
): CallContender {
  const withoutStartMs: number[] = []
  const cpuMs: number[] = []
  const once = async () => {
    const ended = await run()
    withoutStartMs.push(withoutStart(ended))
    cpuMs.push(ended.cpuMs)
    return ended.durationMs
  }
  return { name, once, withoutStartMs, cpuMs }
}

/** Undefined where there is no curl. */
export async function curlOver(calls: Calls, context: BenchContext): Promise<Contender | undefined> {
  if (!(await curlIsHere())) return undefined
  const { bodies, concurrency, url, answers } = calls
  const { workspace, service } = context
  const config = workspace.path('calls.curl')
  await writeFile(config, curlConfig(url + createPath, token, bodies.texts))
  const once = async () => {
    await service.begin({ answers })
    const { durationMs } = await runCurl(curlArgs(config, concurrency))
    await calledExactly(bodies.texts.length, service)
    return durationMs
  }
  return { name: 'curl', once }
}
