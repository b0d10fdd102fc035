import { decode, findMark } from './decode.ts'
import { nothing } from './decoders.ts'
import { isGzip, type SourceSettings } from './source.ts'

type ReadFrom = (at: number) => AsyncGenerator<Buffer>

/** Reads the text of a file from a place on: UTF-8 at once, other text past all that stands before it. */
export function textOf(path: string, settings: SourceSettings, read: ReadFrom): ReadFrom {
  return async function* (at) {
    const start = isGzip(path) ? undefined : startOfUtf8(await firstOf(read(0)), settings)
    yield* start === undefined
      ? behind(at, decode(read(0), settings, path))
      : decode(marked(read(start + at)), {}, path)
  }
}

export async function firstOf(bytes: AsyncGenerator<Buffer>): Promise<Buffer> {
  const { value = nothing } = await bytes.next()
  await bytes.return(undefined)
  return value
}

/** Undefined where the text is in another encoding. */
function startOfUtf8(first: Buffer, { encoding = 'utf-8' }: SourceSettings): number | undefined {
  const mark = findMark(first)
  return /^utf-?8$/i.test(mark?.encoding ?? encoding) ? (mark?.length ?? 0) : undefined
}

/** A mark of ours is taken off again, and not what looks like one in the text. */
async function* marked(text: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield Buffer.from('\ufeff')
  yield* text
}

async function* behind(at: number, texts: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const text of texts) {
    if (text.length > at) yield text.subarray(Math.max(0, at))
    at -= text.length
  }
}
