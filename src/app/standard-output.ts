import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { cannotWrite } from '../model/errors.ts'

/** Writes texts to standard output; ends quietly when the reader goes away. Throws a LogError. */
export async function writeTexts(
  texts: Iterable<string> | (() => AsyncIterable<string>),
  stdout: Writable,
): Promise<void> {
  await pipeline(texts, stdout, { end: false }).catch(error => {
    if (!isReaderGone(error)) throw cannotWrite('standard output', error)
  })
}

const endings = new Set<unknown>(['EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED'])

export const isReaderGone = (error: unknown): boolean => endings.has((error as NodeJS.ErrnoException).code)
