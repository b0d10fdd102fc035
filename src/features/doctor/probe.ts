import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { TLSSocket } from 'node:tls'
import { urlToHttpOptions } from 'node:url'
import { readyEventOf } from '../../api/attempt.ts'
import { createAgent } from '../../api/connections.ts'
import type { Clock } from '../../model/clock.ts'
import { reasonOf, UsageError } from '../../model/errors.ts'

const longestMs = 10_000

/** Connects to the service as a call would, and sends nothing. Throws a UsageError, also after 10 s. */
export async function probe(service: URL, proxy: URL | undefined, clock: Clock) {
  const startedMs = clock.elapsedMs()
  const over = new AbortController()
  const cancel = clock.after(longestMs, () => over.abort())
  const options = { keepAlive: false, signal: over.signal } // ends the connection to a proxy that is silent, too
  const agent = createAgent(service, options, proxy)
  const open = service.protocol === 'https:' ? httpsRequest : httpRequest
  const request = open(service, { ...options, agent })
  request.on('error', () => {}) // it is reported by `once`
  try {
    const { hostname } = urlToHttpOptions(proxy ?? service)
    const connected = once(request, 'socket')
    const [[socket], addresses] = await Promise.all([connected, lookup(String(hostname), { all: true })])
    const event = readyEventOf(socket)
    if (event !== undefined) await once(socket, event)
    const secure = socket instanceof TLSSocket ? socket : undefined
    const end = secure?.getPeerCertificate().valid_to
    return {
      host: service.host,
      addresses: addresses.map(({ address }) => address),
      ms: Math.round(clock.elapsedMs() - startedMs),
      tls: secure?.getProtocol() ?? undefined,
      valid_until: end && new Date(end).toISOString(),
    }
  } catch (error) {
    const reason = over.signal.aborted ? 'ETIMEDOUT' : reasonOf(error)
    throw new UsageError('service_not_reached', { reason })
  } finally {
    cancel()
    request.destroy()
    over.abort()
  }
}
