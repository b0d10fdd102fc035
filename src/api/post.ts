import type { ClientRequest } from 'node:http'
import { setImmediate as endOfTurn } from 'node:timers/promises'
import type { Response } from 'got'
import { afterAttempt } from './after-attempt.ts'
import { announce } from './announce.ts'
import { readAnswer, UnreadableAnswer } from './answer.ts'
import type { Flight } from './flight.ts'
import type { Sending } from './sending.ts'

/** Posts a call with all the attempts that it takes; `cancel` gives up what waits for its next attempt. */
export type Post = (flight: Flight) => { readonly response: Promise<Response>; readonly cancel: () => void }

/** An answer larger than this is not read on. */
const largestAnswerBytes = 16_000_000

/** Makes what posts calls: one got instance, whose hooks know the call by its flight. */
export function createPost(sending: Sending, hadSuccess: () => boolean): Post {
  const { client, token, pace, record, stop } = sending
  const instance = client.got.extend({
    hooks: {
      beforeRequest: [
        async options => {
          const { flight } = options.context as { flight: Flight }
          await pace.turn()
          await announce(flight, sending)
          await afterPolling()
          stop.signal.throwIfAborted()
          const connection = client.connections.forAttempt()
          flight.beginAttempt(token.value, connection)
          options.agent = connection.agents
          options.headers.authorization = `Bearer ${flight.token}`
        },
      ],
      afterResponse: [
        response => {
          if (response.statusCode >= 400) return response
          const { flight } = response.request.options.context as { flight: Flight }
          flight.answer = response.statusCode < 300 ? readAnswer(String(response.body), record) : undefined
          if (flight.answer === undefined) throw new UnreadableAnswer()
          return response
        },
      ],
    },
    retry: { calculateDelay: ({ error }) => afterAttempt(error, sending, hadSuccess()) },
  })

  return flight => {
    const response = instance(sending.url, { json: flight.call.body, context: { flight } })
    let request: ClientRequest | undefined
    response.on('request', begun => {
      request = begun as unknown as ClientRequest
      flight.watch(request)
    })
    response.on('downloadProgress', ({ transferred }) => {
      if (transferred > largestAnswerBytes)
        request?.destroy(
          Object.assign(new Error('the answer is too large'), { code: 'ERR_ANSWER_TOO_LARGE' }),
        )
    })
    return { response: response as unknown as Promise<Response>, cancel: () => response.cancel() }
  }
}

/** Lets the event loop hear of connections that the server has closed, before one of them is taken again. */
async function afterPolling(): Promise<void> {
  await endOfTurn() // of this turn, whose sockets were polled already
  await endOfTurn()
}
