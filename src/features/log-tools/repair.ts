import { isUtf8 } from 'node:buffer'
import { chownSync, statSync } from 'node:fs'
import { cannotWrite } from '../../model/errors.ts'
import { describeProblem } from '../../output/words.ts'
import { replaceFile } from '../../platform/replace-file.ts'
import { openDurableFile } from '../../store/files/durable-file.ts'
import {
  identityIn,
  lineWith,
  type OrphanedCall,
  orphanDoubt,
  orphanLine,
  parseLine,
} from '../../store/files/lines.ts'
import type { Lock } from '../../store/files/lock.ts'
import { isThere } from '../../store/files/result-log.ts'
import {
  intentLogPath,
  joinedLines,
  LineCheck,
  type LogFile,
  mostUnsynced,
  readTexts,
} from '../../store/files/whole-lines.ts'

/**
 * Moves the damaged texts of both logs, under the lock, to a file of their own, and puts their rows in doubt; returns the texts. A kill
 * leaves each log as it was, or repaired. Throws a UsageError, and changes nothing, if a row cannot be named; a LogError or LockError.
 */
export async function repairLog(log: string, lock: Lock, run: string): Promise<readonly Buffer[]> {
  const moved: Buffer[] = []
  const damaged: LogFile[] = []
  for (const path of [intentLogPath(log), log]) {
    const before = moved.length
    if (await isThere(path)) for await (const _ of repairedLines({ path, log }, moved)); // before anything is written
    if (moved.length > before) damaged.push({ path, log })
  }
  if (moved.length > 0) await keep(`${log}.damaged`, joinedLines(moved))
  for (const file of damaged) await rewrite(file.path, run, repairedLines(file), lock)
  return moved
}

/** Throws a LogError. */
async function keep(path: string, bytes: Uint8Array): Promise<void> {
  try {
    const file = await openDurableFile(path, 'a')
    const written = file.appendFile(bytes).then(() => file.datasync())
    await written.finally(() => file.close())
  } catch (error) {
    throw cannotWrite(path, error)
  }
}

/** Rewrites a log; its owner, whose next run has to read it, stays the same. Throws a LogError or LockError. */
export async function rewrite(
  path: string,
  run: string,
  texts: AsyncIterable<string | Uint8Array>,
  lock: Lock,
): Promise<void> {
  try {
    const { uid, gid } = statSync(path)
    const file = await replaceFile(path, texts, { id: run, check: () => lock.check(), longestPauseMs: 0 })
    await file.close()
    if (uid !== statSync(path).uid) chownSync(path, uid, gid)
  } catch (error) {
    throw cannotWrite(path, error)
  }
}

/** The lines of a log, with those that take the place of damaged texts, which are added to `moved`. */
async function* repairedLines(file: LogFile, moved: Buffer[] = []): AsyncGenerator<Uint8Array> {
  const check = new LineCheck(file)
  let last = 0
  for await (const { texts } of readTexts(file.path)) last += texts.length
  const replaced = (text: Buffer, isEnd: boolean): Buffer[] => {
    const { lines, rest } = check.wholeIn(text)
    const whole = lines.map(({ bytes }) => bytes)
    if (check.number > last - mostUnsynced && check.isUnsynced(text, isEnd)) return whole // so does the next run
    if (check.opening === undefined || !isReadable(rest)) throw check.damage(text, 'unreadable_line')
    moved.push(rest)
    if (!namesRow(String(rest))) return whole
    const row = rowIn(String(rest), isEnd)
    if (row === undefined) throw check.damage(text, 'unreadable_line')
    const { record } = check.opening
    const line =
      file.path === file.log ? orphanLine(orphanDoubt(row, record), describeProblem) : lineWith(row)
    return [...whole, Buffer.from(line)]
  }
  for await (const { texts, isEnd } of readTexts(file.path)) {
    const lines: Uint8Array[] = []
    for (const text of texts) {
      check.number += 1
      if (check.parse(text)) lines.push(text)
      else lines.push(...replaced(text, isEnd))
    }
    yield joinedLines(lines)
  }
}

/** Checks for control characters and bytes that are no text, which may hide whole lines. */
const isReadable = (bytes: Buffer): boolean => isUtf8(bytes) && !/[^\P{Cc}\t\r]/u.test(String(bytes))

/** Lines without a row: opening and closing ones, and of a call that was taken back, which may be in doubt for nothing. */
const withoutRow = /^\{"run":"[^"]*",("at":"[^"]*","(rowlift|ended)"|"key":"([^"\\]|\\.)*","over"):/

const namesRow = (text: string): boolean =>
  /"(run|key|crc32)"/.test(text) && (text.includes('"hash":') || !withoutRow.test(text))

/** The row of a line that is damaged within its values, or cut: it has a key and a hash, and one of them is right. */
function rowIn(text: string, isCut: boolean): OrphanedCall | undefined {
  const line = parseLine(text) ?? parseLine(`${isCut && /^.*?"hash":"\w+"/s.exec(text)}}`)
  const isOne = text.split('"hash":').length === 2 && text.split('"crc32":').length <= 2
  if (!isOne || typeof line?.key !== 'string' || typeof line.hash !== 'string') return undefined
  const call = { at: '', body: {}, ...line } as OrphanedCall
  return { run: call.run, at: call.at, ...identityIn(call), body: call.body, damaged: true }
}
