import { statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { UsageError } from '../../model/errors.ts'
import type { Checkpoint } from '../../store/files/checkpoint.ts'
import { givesRecord, type Opening, parseLine } from '../../store/files/lines.ts'
import { bytesAt, endOfFile, linesOf, logAt, openingIn, tailLength } from './log-files.ts'
import type { Entry } from './register.ts'

/** Checks whether a log lacks the last line that a run left in it; a re-key or a repair may have written it anew since. */
export async function hasLost({ log, length, checksum, at }: Entry): Promise<boolean> {
  const last = `"crc32":"${checksum}"`
  const { mtimeMs = 0 } = statSync(`${log}.damaged`, { throwIfNoEntry: false }) ?? {}
  if (checksum === undefined || mtimeMs > Date.parse(at)) return false
  if (bytesAt(log, length - tailLength, tailLength).includes(last)) return false
  for await (const { texts } of linesOf(log))
    for (const text of texts) {
      const isAnew = text.includes('"command":"rekey"') && (openingIn(text)?.at ?? '') > at
      if (isAnew || text.includes(last)) return false
    }
  return true
}

/** Finds the copies beside a log, such as conflicted ones, that are not its beginning. */
export async function* copiesOf(log: string) {
  const name = basename(log)
  const stem = name.replace(/(\.results)?\.ndjson$/, '')
  const isCopy = (other: string) =>
    other !== name &&
    stem !== '' &&
    other.startsWith(stem) &&
    /\.ndjson\b(?!\.(inflight|damaged|finished))/.test(other)
  const copies = (await readdir(dirname(log)).catch(() => [])).filter(isCopy)
  const own = copies.length > 0 ? await logAt(log) : undefined
  if (own === undefined || 'why' in own) return
  for (const other of copies) {
    const copy = await logAt(join(dirname(log), other))
    if (copy === undefined || 'why' in copy || copy.path === own.path) continue
    const isSame = isDeepStrictEqual(namesIn(copy.opening), namesIn(own.opening))
    if (isSame && !isBeginning(copy.path, own.path)) yield { ...copy, named: join(dirname(log), other) }
  }
}

/** Throws a UsageError if a copy has records of which the log knows nothing. */
export async function checkCopies(log: string, checkpoint: Checkpoint): Promise<void> {
  for await (const { path, named: copy, isPacked } of copiesOf(log)) {
    const rows = await unknownIn(path, checkpoint)
    if (rows > 0) throw new UsageError('log_copy', { log, copy, rows, isPacked })
  }
}

/** The first run of a log, and what names its rows: a log that follows another key has other names than its copies. */
const namesIn = ({ run, key_columns, columns }: Opening) => [run, key_columns, columns]

/** Checks by its end that a file is an earlier state of a longer one. */
function isBeginning(path: string, longer: string): boolean {
  const { size, text } = endOfFile(path)
  return bytesAt(longer, size - text.length, text.length) === text
}

/** Counts the rows with a record that a log does not know. */
async function unknownIn(path: string, checkpoint: Checkpoint): Promise<number> {
  const keys = new Set<string>()
  for await (const { texts } of linesOf(path))
    for (const line of texts.map(text => parseLine(String(text)))) {
      const { key = '', hash = '' } = line ?? {}
      if (line && givesRecord(line) && checkpoint.get(key, hash)?.status !== 'settled') keys.add(key)
    }
  return keys.size
}
