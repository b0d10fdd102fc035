import { closeSync, openSync, readSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ulid } from 'ulid'
import { cannotWrite } from '../../model/errors.ts'
import { ownerOnly } from '../../platform/replace-file.ts'

const mostInMemory = 16_000_000

/** Lines in memory, and past `most` characters in a temporary file without a name, which is gone with its process. */
export function spilledLines(most = mostInMemory) {
  let lines: string[] = []
  let characters = 0
  let file: number | undefined
  let spilled = 0
  /** The parts of the file, by their bytes. */
  let parts: number[] = []

  function spill(): void {
    const path = join(tmpdir(), `rowlift-${ulid()}`)
    const part = Buffer.from(lines.join('\n'))
    try {
      if (file === undefined) {
        file = openSync(path, 'wx+', ownerOnly)
        unlinkSync(path)
      }
      writeFileSync(file, part) // from where the last one ended
    } catch (error) {
      throw cannotWrite(tmpdir(), error)
    }
    parts.push(part.length)
    spilled += lines.length
    lines = []
    characters = 0
  }

  return {
    get count() {
      return spilled + lines.length
    },
    /** Throws a LogError if the file cannot be written. */
    add(line: string): void {
      lines.push(line)
      characters += line.length
      if (characters > most) spill()
    },
    /** Yields all lines in their order, as many at once as were in memory; the lines stay. */
    *all(): Generator<readonly string[]> {
      let from = 0
      for (const bytes of parts) {
        const part = Buffer.alloc(bytes)
        for (let at = 0; at < bytes; ) at += readSync(file as number, part, at, bytes - at, from + at)
        yield String(part).split('\n')
        from += bytes
      }
      if (lines.length > 0) yield lines
    },
    clear(): void {
      if (file !== undefined) closeSync(file)
      file = undefined
      parts = []
      lines = []
      characters = spilled = 0
    },
  }
}
