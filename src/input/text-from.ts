import { decode } from './decode.ts'
import { nothing } from './decoders.ts'

/** The UTF-8 text of bytes that begin in the middle of a file. */
export const textFrom = (bytes: AsyncIterable<Buffer>, path: string): AsyncGenerator<Buffer> =>
  decode(marked(bytes), {}, path)

/** A mark of ours is taken off again, and not what looks like one in the text. */
async function* marked(text: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield Buffer.from('\ufeff')
  yield* text
}

export async function firstOf(bytes: AsyncGenerator<Buffer>): Promise<Buffer> {
  const { value = nothing } = await bytes.next()
  await bytes.return(undefined)
  return value
}
