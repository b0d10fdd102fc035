import { once } from 'node:events'
import { open, truncate } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Writable } from 'node:stream'
import { logErrors } from '../model/errors.ts'
import { GroupedAppender } from './grouped-appender.ts'
import type { Mend } from './replay.ts'

/** Where the lines of a run go. */
export interface LineSink {
  /** Resolves when the line is kept, undefined when it is already; rejects with a LogError when it cannot be. */
  append(line: string): Promise<void> | undefined
  close(): Promise<void>
}

const ownerOnly = 0o600

const cannotWrite = (path: string, error: unknown) =>
  logErrors.cannotWrite(path, (error as NodeJS.ErrnoException).code ?? String(error))

/**
 * Opens a result log for appending, for the owner alone; a new file's folder is synced so that the file itself
 * survives a lost power supply. `mend` says what its end needs first. Throws a LogError.
 */
export async function openResultLog(path: string, mend: Mend | undefined): Promise<LineSink> {
  try {
    if (mend !== undefined && 'cutTo' in mend) await truncate(path, mend.cutTo)
    const file = await open(path, 'a', ownerOnly)
    if (mend !== undefined && 'addLineEnd' in mend) await file.appendFile('\n')
    if ((await file.stat()).size === 0) await syncFolderOf(path)
    const lines = new GroupedAppender(file)
    return {
      append: line => lines.append(line).catch(error => Promise.reject(cannotWrite(path, error))),
      close: () => lines.close(),
    }
  } catch (error) {
    throw cannotWrite(path, error)
  }
}

async function syncFolderOf(path: string): Promise<void> {
  const folder = await open(dirname(path), 'r')
  await folder.sync().finally(() => folder.close())
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
  await file.chmod(ownerOnly) // one that was there before keeps its mode otherwise
  const lines = streamSink(file.createWriteStream({ autoClose: false }), path)
  return { append: lines.append, close: () => lines.close().finally(() => file.close()) }
}
