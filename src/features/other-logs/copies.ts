import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { UsageError } from '../../model/errors.ts'
import type { Checkpoint } from '../../store/files/checkpoint.ts'
import { givesRecord, parseLine } from '../../store/files/lines.ts'
import { bytesAt, endOfFile, linesOf, logAt } from './log-files.ts'
import { isEqual } from './look.ts'

/** Throws a UsageError if a copy beside a log, such as a conflicted one, has records of which the log knows nothing. */
export async function checkCopies(log: string, checkpoint: Checkpoint): Promise<void> {
  const name = basename(log)
  const stem = name.replace(/(\.results)?\.ndjson$/, '')
  const isCopy = (other: string) =>
    other !== name &&
    stem !== '' &&
    other.startsWith(stem) &&
    /\.ndjson\b(?!\.(inflight|damaged))/.test(other)
  for (const other of (await readdir(dirname(log)).catch(() => [])).filter(isCopy)) {
    const [own, copy] = [await logAt(log), await logAt(join(dirname(log), other))]
    if (own === undefined || copy === undefined || 'why' in own || 'why' in copy) continue
    const { run, key_columns, columns = [] } = copy.opening
    if (run !== own.opening.run || copy.path === own.path || !isEqual(key_columns, own.opening.key_columns))
      continue
    if (!isEqual(columns, own.opening.columns ?? []) || isBeginning(copy.path, own.path)) continue
    const rows = await unknownIn(copy.path, checkpoint)
    if (rows > 0) throw new UsageError('log_copy', { log, copy: join(dirname(log), other), rows })
  }
}

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
