import { UsageError } from '../model/errors.ts'
import type { ProcessInfo } from '../platform/process-info.ts'

/** An address as it is compared: its spellings are one, and the names of this machine. */
export function addressOf(text: string): string {
  const address = URL.canParse(text) ? new URL(text).href : text
  return address.replace(/^(https?:\/\/)(127(\.\d+){3}|\[::1\])(?=[:/])/, '$1localhost').replace(/\/+$/, '')
}

/** Checks an address of the log or of a run, also in quotes. */
export const isOnLoopback = (text: string): boolean =>
  /^https?:\/\/([^/]+\.)?localhost(?=[:/]|$)/.test(addressOf(text.replaceAll('"', '')))

/**
 * The base URL without trailing slashes. Throws a UsageError for a bad URL, which it does not repeat, because it may hold a
 * password, and for http:// that is not allowed.
 */
export function checkBaseUrl(text: string, allowHttp: boolean, option = 'base-url'): string {
  const url = !/[@?#\p{Cc}]|%40/u.test(text) && URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw new UsageError('bad_base_url', { option })
  if (url.protocol === 'http:' && !isOnLoopback(url.href) && !allowHttp)
    throw new UsageError('insecure_base_url', { origin: url.origin })
  return url.href.replace(/\/+$/, '')
}

/**
 * The proxy by HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY; lower case wins. Throws a UsageError for an unusable one, and if
 * certificates would not be checked on the way.
 */
export function proxyFor(baseUrl: string, environment: ProcessInfo['environment']): URL | undefined {
  const service = new URL(baseUrl)
  if (service.protocol === 'https:' && environment.NODE_TLS_REJECT_UNAUTHORIZED === '0')
    throw new UsageError('certificates_unchecked')
  const variable = (name: string) => environment[name] || environment[name.toUpperCase()] || ''
  if (isOnLoopback(baseUrl) || goesWithout(service, variable('no_proxy'))) return undefined
  const named = environment[proxyVariable(baseUrl, environment) ?? '']
  if (named === undefined) return undefined
  const address = named.includes('://') ? named : `http://${named}`
  if (/\p{Cc}/u.test(address) || !URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol))
    throw new UsageError('bad_proxy')
  return new URL(address)
}

/** The variable that names the proxy, if one does. */
export const proxyVariable = (baseUrl: string, environment: ProcessInfo['environment']): string | undefined =>
  [`${new URL(baseUrl).protocol.slice(0, -1)}_proxy`, 'all_proxy']
    .flatMap(name => [name, name.toUpperCase()])
    .find(name => environment[name])

/** NO_PROXY names hosts with or without a port, or ends of hosts (`.example.com`, `*.example.com`); `*` is all. */
function goesWithout({ hostname, protocol, port }: URL, noProxy: string): boolean {
  const servicePort = port || (protocol === 'http:' ? '80' : '443')
  return noProxy
    .toLowerCase()
    .split(/[,\s]+/)
    .some(entry => {
      const [, host = '', entryPort = servicePort] = /^(.+?)(?::(\d+))?$/.exec(entry) ?? []
      if (host === '' || entryPort !== servicePort) return false
      return /^[.*]/.test(host) ? hostname.endsWith(host.replace(/^\*/, '')) : hostname === host
    })
}
