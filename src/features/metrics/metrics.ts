import { readFile } from 'node:fs/promises'
import { masked } from '../../model/secrets.ts'
import { type Output, readableMode } from '../../run/output.ts'
import { isStream, writeAnew } from '../../run/outputs.ts'
import { metricsText } from './metrics-text.ts'

/** Writes the end of a command as figures for Prometheus, whose file keeps those of earlier runs that still count. */
export function metricsOutput(path: string): Output {
  let before: string | undefined // the metrics of earlier runs, also when they are written twice
  return {
    path,
    role: 'metrics file',
    async write(end) {
      before ??= isStream(path) ? '' : await readFile(path, 'utf8').catch(() => '')
      await writeAnew(path, masked(await metricsText(end, before)), readableMode)
    },
  }
}
