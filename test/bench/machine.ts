import { open } from 'node:fs/promises'
import { cpus, type } from 'node:os'
import { median } from './figures.ts'

const syncs = 50

/** The machine in a few words; `file` is written to find out how long its disk takes to sync. */
export async function machineIn(file: string): Promise<string> {
  const cores = cpus()
  return [
    cores[0]?.model.trim() ?? 'a processor without a name',
    `${cores.length} cores`,
    type(),
    `Node ${process.versions.node}`,
    `${(await syncTimeMs(file)).toFixed(2)} ms for one fdatasync`,
  ].join(', ')
}

/** How long the disk of a file takes to sync a line. */
export async function syncTimeMs(path: string): Promise<number> {
  const file = await open(path, 'w')
  try {
    const durationsMs: number[] = []
    for (let n = 0; n < syncs; n += 1) {
      await file.write('a line of a log\n')
      const startedMs = performance.now()
      await file.datasync()
      durationsMs.push(performance.now() - startedMs)
    }
    return median(durationsMs)
  } finally {
    await file.close()
  }
}
