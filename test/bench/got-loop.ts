import { fileURLToPath } from 'node:url'
import type { Bodies } from './bodies.ts'
import { type Ended, runToSuccess } from './children.ts'
import { calledExactly } from './proof.ts'
import { createPath, token } from './rowlift.ts'
import type { Service } from './service.ts'

const bareGot = fileURLToPath(new URL('./bare-got.js', import.meta.url))

/** Runs the bare loop of got to its end; throws unless it made one call for each body. */
export async function gotLoop(
  { file, texts }: Bodies,
  concurrency: number,
  service: Service,
): Promise<Ended> {
  const args = [bareGot, service.url + createPath, token, file, String(concurrency)]
  const ended = await runToSuccess(process.execPath, args, { env: { PATH: process.env.PATH } })
  await calledExactly(texts.length, service)
  return ended
}
