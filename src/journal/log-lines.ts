import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { StringDecoder } from 'node:string_decoder'
import { reasonOf, UsageError } from '../model/errors.ts'

/** Where the whole lines of a file end, and what stands behind the last of them. */
export class FileEnd {
  wholeBytes = 0
  rest = ''
}

/** Whether a file is there and holds something. Throws a UsageError when that cannot be told, or it is a folder. */
export async function isThere(path: string): Promise<boolean> {
  const found = await stat(path).catch(error => {
    if (error.code === 'ENOENT') return undefined
    throw new UsageError('file_unreadable', { what: 'result log', path, reason: reasonOf(error) })
  })
  if (found?.isDirectory()) throw new UsageError('log_is_folder', { path })
  return found !== undefined && found.size > 0
}

const chunkBytes = 262_144

/** The whole lines of a file, in batches, as a stream; `end` tells what was found at its end. Throws a UsageError. */
export async function* linesOf(path: string, end = new FileEnd()): AsyncGenerator<string[]> {
  const decoder = new StringDecoder('utf8')
  let position = 0
  for await (const chunk of chunksOf(path)) {
    const lines = (end.rest + decoder.write(chunk)).split('\n')
    end.rest = lines.pop() ?? ''
    const lastLineEnd = chunk.lastIndexOf(10)
    if (lastLineEnd !== -1) end.wholeBytes = position + lastLineEnd + 1
    position += chunk.length
    yield lines
  }
  end.rest += decoder.end()
}

async function* chunksOf(path: string): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(path, { highWaterMark: chunkBytes }) as AsyncIterable<Buffer>
  } catch (error) {
    throw new UsageError('file_unreadable', {
      what: 'result log',
      path,
      reason: reasonOf(error as NodeJS.ErrnoException),
    })
  }
}
