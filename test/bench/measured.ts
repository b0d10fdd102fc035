import { rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { type Ended, runToSuccess } from './children.ts'
import type { Usage } from './usage.ts'

const usageModule = new URL('./usage.js', import.meta.url).href

export type Measured = Ended & Usage

/** Runs Node with these words to its end and tells what the process took; `usageFile` is where that is kept meanwhile. */
export async function runMeasured(
  words: readonly string[],
  usageFile: string,
  environment: NodeJS.ProcessEnv,
): Promise<Measured> {
  rmSync(usageFile, { force: true })
  const env = { ...environment, BENCH_USAGE: usageFile }
  const ended = await runToSuccess(process.execPath, ['--import', usageModule, ...words], { env })
  return { ...ended, ...(JSON.parse(await readFile(usageFile, 'utf8')) as Usage) }
}
