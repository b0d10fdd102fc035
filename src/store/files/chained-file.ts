import type { Chain } from './checksum.ts'
import type { Appendable, DurableFile } from './durable-file.ts'
import type { SyncPoint } from './lines.ts'

/** How far each file of a journal is on disk. */
export interface SyncPoints {
  log?: SyncPoint
  intents?: SyncPoint
}

const others = { log: 'intents', intents: 'log' } as const

/**
 * Seals the lines of a run and appends them to one of the two files. The first line of a group names how far the other file is; `generation` is that
 * of an intent log.
 */
export function chainedFile(
  file: DurableFile,
  own: keyof SyncPoints,
  chain: Chain,
  points: SyncPoints,
  ...generation: readonly number[]
): Appendable {
  const other = others[own]
  const withPoint = (line: string) =>
    points[other] === undefined ? line : `${line.slice(0, -1)},"${other}":${JSON.stringify(points[other])}}`
  return {
    appendFile: lines =>
      file.appendFile(lines.map((line, at) => chain.add(at === 0 ? withPoint(line) : line)).join('')),
    async datasync() {
      await file.datasync()
      points[own] = [...generation, chain.lines, chain.crc]
    },
    close: () => file.close(),
  }
}
