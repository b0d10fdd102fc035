import { fileURLToPath } from 'node:url'
import type { Bodies } from './bodies.ts'
import { type Measured, runMeasured } from './measured.ts'
import type { BenchContext } from './part.ts'
import { calledExactly } from './proof.ts'
import { createPath, environmentFor, token } from './rowlift.ts'

const bareGot = fileURLToPath(new URL('./bare-got.js', import.meta.url))

/** Runs the bare loop of got to its end; throws unless it made one call for each body. */
export async function gotLoop(
  { file, texts }: Bodies,
  concurrency: number,
  { service, workspace }: BenchContext,
  url = service.url,
): Promise<Measured> {
  const words = [bareGot, url + createPath, token, file, String(concurrency)]
  const ended = await runMeasured(words, workspace.path('usage.json'), environmentFor(url))
  await calledExactly(texts.length, service)
  return ended
}
