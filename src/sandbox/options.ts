/** How a sandbox behaves; every part has a default, which is a service without faults. */
export interface SandboxOptions {
  /** 0, the default, is any free port. */
  port?: number
  /** Default 127.0.0.1. */
  host?: string
  /** The one bearer token that is taken; default `sandbox`. */
  token?: string
  /** Milliseconds between the making of a record and the answer to any create call; default 0. */
  latencyMs?: number
  /** Calls answered per second; above it 429 with `Retry-After`. Default no limit. */
  rateLimit?: number
  /** Share of create calls, 0 to 1, that are answered 500 with nothing made. */
  failShare?: number
  /** Share of create calls, 0 to 1, of which the record is made and the connection cut without an answer. */
  dropShare?: number
  /** Whole number that decides which calls fail and drop; default 1, so that runs repeat unless told otherwise. */
  seed?: number
  /** File that keeps the records; see DataFile. */
  dataFile?: string
}

/** @throws RangeError that names the option which is out of its range */
export function checkOptions(options: SandboxOptions): void {
  const { latencyMs = 0, rateLimit = 1, failShare = 0, dropShare = 0, seed = 0, token = 'sandbox' } = options
  if (!(latencyMs >= 0 && latencyMs <= 2_147_483_647))
    throw new RangeError(`latencyMs: ${latencyMs} is not a delay`)
  if (!(rateLimit > 0)) throw new RangeError(`rateLimit: ${rateLimit} is not above 0`)
  if (!(failShare >= 0 && failShare <= 1))
    throw new RangeError(`failShare: ${failShare} is not between 0 and 1`)
  if (!(dropShare >= 0 && dropShare <= 1))
    throw new RangeError(`dropShare: ${dropShare} is not between 0 and 1`)
  if (!Number.isSafeInteger(seed)) throw new RangeError(`seed: ${seed} is not a whole number`)
  if (token === '') throw new RangeError('token: an empty token would let nobody in')
}
