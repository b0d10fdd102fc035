import type { ClientRequest } from 'node:http'
import type { OptionsInit, Request } from 'got'
import type { RecordType } from '../records/kinds.ts'
import { readAnswer } from './answer.ts'
import type { Flight } from './flight.ts'

/** How an attempt ended: the call has its record, it is to be tried again, or it is over for good. */
export type AttemptEnd =
  | { readonly is: 'created'; readonly httpStatus: number; readonly date: string | undefined }
  | { readonly is: 'again'; readonly begin: (options: OptionsInit) => Request }
  /** The flight's failure says why; where there is none, `error` does, or the run stopped while the call waited. */
  | { readonly is: 'over'; readonly error?: Error }

/** An answer that came whole and is no success: another status, or no readable record_id. */
export class BadAnswer extends Error {}

/** An answer larger than this is not read on. */
const largestAnswer = 16_000_000

/**
 * Follows an attempt to its end, and got's wait for the next one. A bad answer is told to got as an error of the
 * request, so that whatever went wrong comes to the same decision.
 */
export function endOf(attempt: Request, flight: Flight, record: RecordType): Promise<AttemptEnd> {
  return new Promise(resolve => {
    let request: ClientRequest | undefined
    let lastError: Error | undefined
    const fail = (error: Error) => request?.emit('error', error)
    attempt
      .setEncoding('utf8')
      .once('request', begun => {
        request = begun as unknown as ClientRequest
        flight.watch(request)
      })
      .on('data', (text: string) => {
        flight.text += text
        if (flight.text.length > largestAnswer) request?.destroy(tooLarge())
      })
      .once('end', () => {
        const { statusCode = 0, headers } = attempt.response ?? { headers: {} }
        if (statusCode < 300) flight.answer = readAnswer(flight.text, record)
        if (flight.answer === undefined) fail(new BadAnswer())
        else resolve({ is: 'created', httpStatus: statusCode, date: headers.date })
      })
      .once('retry', (_count, _error, begin: (options: OptionsInit) => Request) =>
        resolve({ is: 'again', begin }),
      )
      .on('error', error => {
        lastError = error // not the end: from Node 24.20 on one comes while got still waits to try a refused connection again
      })
      .once('close', () => resolve({ is: 'over', ...(lastError && { error: lastError }) }))
  })
}

const tooLarge = () => Object.assign(new Error('the answer is too large'), { code: 'ERR_ANSWER_TOO_LARGE' })
