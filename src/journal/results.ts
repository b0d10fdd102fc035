import { once } from 'node:events'
import { truncateSync } from 'node:fs'
import { open } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import { cannotWrite } from '../model/errors.ts'
import { GroupedAppender } from './grouped-appender.ts'
import type { Lock } from './lock.ts'
import { NamedFile, ownerOnly } from './named-file.ts'
import type { Mend } from './past-runs.ts'

/** Where the lines of a run go. */
export interface LineSink {
  /** Resolves when the line is kept, undefined when it is already; rejects with a LogError when it cannot be. */
  append(line: string): Promise<void> | undefined
  close(): Promise<void>
}

/**
 * Opens a result log for appending, for the owner alone, so that each line is on disk before its promise resolves.
 * `mend` says what its end needs first. Throws a LogError, or a LockError when another run has taken it over.
 */
export async function openResultLog(path: string, mend: Mend | undefined, lock: Lock): Promise<LineSink> {
  const failed = (error: unknown) => cannotWrite(path, error)
  try {
    lock.check()
    if (mend !== undefined && 'cutTo' in mend) truncateSync(path, mend.cutTo)
    const file = await NamedFile.open(path, 'a')
    if (mend !== undefined && 'addLineEnd' in mend) await file.appendFile('\n')
    const lines = new GroupedAppender(file)
    return {
      append: line => lines.append(line).catch(error => Promise.reject(failed(error))),
      close: () => lines.close().catch(error => Promise.reject(failed(error))),
    }
  } catch (error) {
    throw failed(error)
  }
}

/** Writes lines to a stream, as fast as its reader takes them. */
export function streamSink(stream: Writable, name: string): LineSink {
  let failure: unknown
  let draining: Promise<void> | undefined
  stream.on('error', error => {
    failure = error
  })
  const check = () => {
    if (failure !== undefined) throw cannotWrite(name, failure)
  }
  return {
    append(line) {
      check()
      if (stream.write(`${line}\n`)) return undefined
      draining ??= once(stream, 'drain')
        .then(check, check)
        .finally(() => {
          draining = undefined
        })
      return draining
    },
    async close() {
      if (failure === undefined) await new Promise<void>(resolve => stream.write('', () => resolve()))
      check()
    },
  }
}

/** A file that is written anew, for the owner alone. Throws a LogError. */
export async function openPreview(path: string): Promise<LineSink> {
  const file = await open(path, 'w', ownerOnly).catch(error => {
    throw cannotWrite(path, error)
  })
  if ((await file.stat()).isFile()) await file.chmod(ownerOnly) // one that was there before keeps its mode otherwise
  const lines = streamSink(file.createWriteStream({ autoClose: false }), path)
  return { append: lines.append, close: () => lines.close().finally(() => file.close()) }
}
