import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { TLSSocket } from 'node:tls'
import { urlToHttpOptions } from 'node:url'
import { readyEventOf } from '../../api/attempt.ts'
import { createAgents } from '../../api/connections.ts'
import type { Clock } from '../../model/clock.ts'
import { reasonOf, UsageError } from '../../model/errors.ts'

const longestMs = 10_000

/** Goes the way of a call up to the service, and sends nothing. Throws a UsageError, also after 10 s. */
export async function probe(service: URL, proxy: URL | undefined, clock: Clock) {
  const startedMs = clock.elapsedMs()
  const over = new AbortController()
  const options = { keepAlive: false, signal: over.signal } // ends the connection to a proxy that is silent
  const { http, https } = createAgents(options, proxy)
  const isSecure = service.protocol === 'https:'
  const request = isSecure ? httpsRequest(service, { agent: https }) : httpRequest(service, { agent: http })
  const late = once(over.signal, 'abort').then(() => Promise.reject())
  const cancel = clock.after(longestMs, () => over.abort())
  const visit = async () => {
    const { hostname } = urlToHttpOptions(proxy ?? service)
    request.on('error', () => {}) // after its socket has told it
    const connected = once(request, 'socket')
    const [[socket], found] = await Promise.all([connected, lookup(String(hostname), { all: true })])
    const event = readyEventOf(socket)
    if (event !== undefined) await once(socket, event)
    const addresses = found.map(({ address }) => address)
    const probed = { host: service.host, addresses, ms: Math.round(clock.elapsedMs() - startedMs) }
    if (!(socket instanceof TLSSocket)) return probed
    const until = new Date(socket.getPeerCertificate().valid_to).toISOString()
    return { ...probed, tls: String(socket.getProtocol()), valid_until: until }
  }
  try {
    return await Promise.race([late, visit()])
  } catch (error) {
    throw new UsageError('service_not_reached', {
      reason: over.signal.aborted ? 'ETIMEDOUT' : reasonOf(error),
    })
  } finally {
    cancel()
    request.destroy()
    over.abort()
  }
}
