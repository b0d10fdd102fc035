import { rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import type { Contender } from './alternate.ts'
import { type Bodies, bodiesOf } from './bodies.ts'
import { curlArgs, curlConfig, curlIsHere, runCurl } from './curl.ts'
import { gotLoop } from './got-loop.ts'
import type { BenchContext } from './part.ts'
import { calledExactly, everyRowCreatedOnce } from './proof.ts'
import { createPath, importArgs, rowlift, summaryOf, token } from './rowlift.ts'

/** One that also knows how long each of its runs took without the start of its process. */
interface CallContender extends Contender {
  readonly withoutStartMs: readonly number[]
}

/** Those who make one call for each row of a source; each looks afterwards whether all of them were made. */
export interface CallContenders {
  readonly rowlift: CallContender
  readonly got: CallContender
  /** Undefined where there is no curl. */
  readonly curl: Contender | undefined
}

export async function callContenders(context: BenchContext): Promise<CallContenders> {
  const { workspace, sizes } = context
  const bodies = await bodiesOf(sizes.calls.rows, workspace)
  return {
    rowlift: importOf(await workspace.contacts(sizes.calls.rows), context),
    got: gotOver(bodies, context),
    curl: (await curlIsHere()) ? await curlOver(bodies, context) : undefined,
  }
}

function importOf(source: string, { workspace, service, sizes }: BenchContext): CallContender {
  const { rows, concurrency } = sizes.calls
  const log = workspace.path('calls.results.ndjson')
  const withoutStartMs: number[] = []
  const once = async () => {
    rmSync(log, { force: true })
    await service.begin()
    const ended = await rowlift(importArgs(source, log, service.url, concurrency))
    await everyRowCreatedOnce(log, rows, service)
    withoutStartMs.push(summaryOf(ended).duration_ms)
    return ended.durationMs
  }
  return { name: 'rowlift', once, withoutStartMs }
}

function gotOver(bodies: Bodies, { service, sizes }: BenchContext): CallContender {
  const withoutStartMs: number[] = []
  const once = async () => {
    await service.begin()
    const ended = await gotLoop(bodies, sizes.calls.concurrency, service)
    withoutStartMs.push(Number(ended.stdout))
    return ended.durationMs
  }
  return { name: 'got', once, withoutStartMs }
}

async function curlOver({ texts }: Bodies, { workspace, service, sizes }: BenchContext): Promise<Contender> {
  const config = workspace.path('calls.curl')
  await writeFile(config, curlConfig(service.url + createPath, token, texts))
  const once = async () => {
    await service.begin()
    const { durationMs } = await runCurl(curlArgs(config, sizes.calls.concurrency))
    await calledExactly(texts.length, service)
    return durationMs
  }
  return { name: 'curl', once }
}
