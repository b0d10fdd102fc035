import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { logErrors } from '../model/errors.ts'

/** How a stream ends whose reader has seen enough, as `| head` does. */
const readerIsGone = new Set(['EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED'])

/** Writes texts to standard output as fast as they are read, and ends quietly when the reader goes away. Throws a LogError. */
export async function writeTexts(
  texts: Iterable<string> | (() => AsyncIterable<string>),
  stdout: Writable,
): Promise<void> {
  await pipeline(texts, stdout, { end: false }).catch(error => {
    if (!readerIsGone.has(error.code)) throw logErrors.cannotWrite('standard output', error)
  })
}
