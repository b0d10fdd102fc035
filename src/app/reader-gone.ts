/** How a stream ends whose reader has seen enough, as `| head` has. */
const endings = new Set<unknown>(['EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED'])

/** Whether nobody reads a stream any more. */
export const isReaderGone = (error: unknown): boolean => endings.has((error as NodeJS.ErrnoException).code)
