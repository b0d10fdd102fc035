import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { logErrors } from '../model/errors.ts'
import { isReaderGone } from './reader-gone.ts'

/** Writes texts to standard output as fast as they are read, and ends quietly when the reader goes away. Throws a LogError. */
export async function writeTexts(
  texts: Iterable<string> | (() => AsyncIterable<string>),
  stdout: Writable,
): Promise<void> {
  await pipeline(texts, stdout, { end: false }).catch(error => {
    if (!isReaderGone(error)) throw logErrors.cannotWrite('standard output', error)
  })
}
