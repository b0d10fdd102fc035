import { decode, findMark } from './decode.ts'
import { nothing } from './decoders.ts'
import { isGzip, type SourceSettings } from './source.ts'

/** Reads the text of a file from a place on: UTF-8 at once, other text past all that stands before it. */
export async function* textFrom(
  at: number,
  path: string,
  settings: SourceSettings,
  read: (start?: number) => AsyncGenerator<Buffer>,
): AsyncGenerator<Buffer> {
  const mark = findMark(await firstOf(read()))
  const { encoding = 'utf-8' } = mark ?? settings
  if (!isGzip(path) && /^utf-?8$/i.test(encoding))
    return yield* decode(marked(read((mark?.length ?? 0) + at)), {}, path)
  for await (const text of decode(read(), settings, path)) {
    if (text.length > at) yield text.subarray(Math.max(0, at))
    at -= text.length
  }
}

export async function firstOf(bytes: AsyncGenerator<Buffer>): Promise<Buffer> {
  const { value = nothing } = await bytes.next()
  await bytes.return(undefined)
  return value
}

/** A mark of ours is taken off again, and not what looks like one in the text. */
async function* marked(text: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield Buffer.from('\ufeff')
  yield* text
}
