import type { ClientRequest } from 'node:http'
import type { Request } from 'got'
import type { RecordType } from '../records/kinds.ts'
import type { AttemptState, CallState } from './call-state.ts'
import { BadAnswer, type CreateAnswer, readAnswer } from './response.ts'

/** An attempt that created its record, or found it. */
export interface Success {
  readonly type: 'created'
  readonly answer: CreateAnswer
  readonly httpStatus: number
  /** The `Date` header of the answer. */
  readonly date: string | undefined
}

/** How an attempt ended. */
export type AttemptEnd =
  | Success
  /** got has begun the next attempt. */
  | { readonly type: 'retry'; readonly next: Request }
  /** The state of the call has the failure; where it has none, the run stopped while the call waited, or `error` is a defect. */
  | { readonly type: 'failed'; readonly error: Error | undefined }

/** An answer larger than this is not read to its end. */
const largestAnswer = 16_000_000

/**
 * Follows an attempt to its end, and got's wait for the next one. A bad answer becomes an error of the request, so that got asks
 * whether to retry after every failure, whatever went wrong.
 */
export function followAttempt(got: Request, state: CallState, record: RecordType): Promise<AttemptEnd> {
  return new Promise(resolve => {
    let request: ClientRequest | undefined
    let attempt: AttemptState | undefined
    let lastError: Error | undefined
    got
      .setEncoding('utf8')
      .once('request', started => {
        request = started as unknown as ClientRequest
        attempt = state.attempt
        attempt?.watch(request)
      })
      .on('data', (text: string) => {
        if (attempt !== undefined && attempt.read(text) > largestAnswer) request?.destroy(tooLarge())
      })
      .once('end', () => {
        const { statusCode: httpStatus = 0, headers } = got.response ?? { headers: {} }
        const answer = httpStatus < 300 ? readAnswer(attempt?.text ?? '', record) : undefined
        if (answer === undefined) request?.emit('error', new BadAnswer())
        else resolve({ type: 'created', answer, httpStatus, date: headers.date })
      })
      .once('retry', (_count, _error, startNext: () => Request) =>
        resolve({ type: 'retry', next: startNext() }),
      )
      .on('error', error => {
        lastError = error // not the end: from Node 24.20 on one comes while got still waits to retry a refused connection
      })
      .once('close', () => resolve({ type: 'failed', error: lastError }))
  })
}

const tooLarge = () => Object.assign(new Error('the answer is too large'), { code: 'ERR_ANSWER_TOO_LARGE' })
