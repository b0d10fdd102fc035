import { cannotWrite, UsageError } from '../model/errors.ts'
import type { Describe } from '../model/problem.ts'
import { DurableFile } from './durable-file.ts'
import { identityIn, lineWith, type OrphanedCall, orphanDoubt, orphanLine, parseLine } from './lines.ts'
import type { Lock } from './lock.ts'
import { rewriteLog } from './replace-file.ts'
import { isThere } from './result-log.ts'
import {
  hidesLines,
  intentLogPath,
  joinedLines,
  LineJudge,
  type LogFile,
  mayTell,
  mostUnsynced,
  readTexts,
  restored,
} from './whole-lines.ts'

/** What a repair did to the damaged lines: it changed one byte back, or moved them to a file of their own. */
interface Repairs {
  restored: number
  readonly moved: Buffer[]
}

/**
 * Under the lock: makes all lines of both logs whole, and puts the rows in doubt whose lines cannot be restored. A kill leaves each
 * log as it was, or repaired. Throws a UsageError, and changes nothing, where a row cannot be named; a LogError or LockError.
 */
export async function repairLog(
  log: string,
  lock: Lock,
  { run, describe }: { readonly run: string; readonly describe: Describe },
): Promise<{ readonly restored: number; readonly moved: readonly Buffer[] }> {
  const all: Repairs = { restored: 0, moved: [] }
  const damaged: LogFile[] = []
  for (const path of [intentLogPath(log), log]) {
    const before = all.restored + all.moved.length
    if (await isThere(path)) for await (const _ of repairedLines({ path, log }, describe, all)); // before anything is written
    if (all.restored + all.moved.length > before) damaged.push({ path, log })
  }
  if (all.moved.length > 0) await keep(`${log}.damaged`, joinedLines(all.moved))
  for (const file of damaged) await rewriteLog(file, run, repairedLines(file, describe), lock)
  return all
}

/** Throws a LogError. */
async function keep(path: string, bytes: Uint8Array): Promise<void> {
  try {
    const file = await DurableFile.open(path, 'a')
    const written = file.appendFile(bytes).then(() => file.datasync())
    await written.finally(() => file.close())
  } catch (error) {
    throw cannotWrite(path, error)
  }
}

/** The lines of a log, with those that take the place of damaged ones. */
async function* repairedLines(
  file: LogFile,
  describe: Describe,
  found: Repairs = { restored: 0, moved: [] },
): AsyncGenerator<Uint8Array> {
  const judge = new LineJudge(file)
  let last = 0
  for await (const { texts } of readTexts(file.path)) last += texts.length
  const replaced = (text: Buffer, isEnd: boolean) => {
    const { lines, rest } = judge.wholeIn(text)
    if (judge.opening === undefined) throw judge.damage()
    const whole = lines.map(({ bytes }) => bytes)
    const isHarmless = lines.length > 0 && !mayTell(rest)
    if (!isHarmless && judge.number > last - mostUnsynced && judge.isUnsynced(text, isEnd)) return whole // so does the next run
    const rows = rowsIn(rest, isEnd)
    if (rows === undefined) throw new UsageError('unreadable_line', { ...file, line: judge.number })
    found.moved.push(rest)
    const { record } = judge.opening
    const lineOf = (row: OrphanedCall) =>
      file.path === file.log ? orphanLine(orphanDoubt(row, record), describe) : lineWith(row)
    return [...whole, ...rows.map(row => Buffer.from(lineOf(row)))]
  }
  let damaged: Buffer | undefined
  for await (const { texts, isEnd } of readTexts(file.path)) {
    const lines: Uint8Array[] = []
    for (const text of texts) {
      const joined = damaged && restored(damaged, text) // a byte that became a line end cuts a line in two
      if (damaged && !joined) lines.push(...replaced(damaged, false))
      judge.number += 1
      const line = joined ?? (judge.parse(text) ? text : restored(text))
      if (line && line !== text) judge.parse(line)
      found.restored += Number(line !== undefined && line !== text)
      if (line) lines.push(line)
      damaged = line ? undefined : text
    }
    if (isEnd && damaged) lines.push(...replaced(damaged, true))
    if (isEnd) damaged = undefined
    yield joinedLines(lines)
  }
  if (damaged) yield joinedLines(replaced(damaged, false))
}

/** Opening and closing lines tell of no row, and a call that was taken back may be in doubt for nothing. */
const tellsOfNoRow = /^\{"run":"[^"]*",("at":"[^"]*","(rowlift|ended)"|"key":"([^"\\]|\\.)*","over"):/

/** The rows that a damaged text may tell of; undefined where one cannot be read, or may be hidden, which is not guessed. */
function rowsIn(text: Buffer, isEnd: boolean): OrphanedCall[] | undefined {
  const parts = String(text)
    .split(/(?=\{"run":)/)
    .filter(part => mayTell(part) && (part.includes('"hash":') || !tellsOfNoRow.test(part)))
  const rows = parts.map((part, at) => rowIn(part, isEnd && at === parts.length - 1))
  return rows.includes(undefined) || hidesLines(text) ? undefined : (rows as OrphanedCall[])
}

/** The row of a line that is damaged within its values, or cut: it has a key and a hash, and one of them is right. */
function rowIn(text: string, isCut: boolean): OrphanedCall | undefined {
  const line = parseLine(text) ?? parseLine(`${isCut && /^.*?"hash":"\w+"/s.exec(text)}}`)
  const isOne = text.split('"hash":').length === 2 && text.split('"crc32":').length <= 2
  if (!isOne || line?.key === undefined || line.hash === undefined) return undefined
  const call = { at: '', body: {}, ...line } as OrphanedCall
  return { run: call.run, at: call.at, ...identityIn(call), body: call.body, damaged: true }
}
