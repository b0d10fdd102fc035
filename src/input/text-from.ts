import { decode } from './decode.ts'
import { nothing } from './decoders.ts'

/** The UTF-8 text of bytes that begin in the middle of a file; a mark of ours is taken off again, and not what looks like one in it. */
export const textFrom = (bytes: AsyncGenerator<Buffer>, path: string): AsyncGenerator<Buffer> =>
  decode(startingWith(Buffer.from('\ufeff'), bytes), {}, path)

export async function* startingWith(start: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield start
    yield* rest
  } finally {
    await rest.return(undefined)
  }
}

export async function firstOf(bytes: AsyncGenerator<Buffer>): Promise<Buffer> {
  const { value = nothing } = await bytes.next()
  await bytes.return(undefined)
  return value
}
