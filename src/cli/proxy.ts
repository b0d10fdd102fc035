import { getProxyForUrl } from 'proxy-from-env'
import { usageErrors } from '../model/usage-errors.ts'
import { isLoopback } from './address.ts'

const variables = ['https_proxy', 'http_proxy', 'all_proxy'].flatMap(name => [name, name.toUpperCase()])

/**
 * The proxy that the environment names for a service (HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY, in either case); none for
 * this machine itself. Throws a UsageError when it is not one that can be used.
 */
export function proxyFor(
  baseUrl: string,
  environment: Readonly<Record<string, string | undefined>>,
): URL | undefined {
  if (isLoopback(new URL(baseUrl).hostname)) return undefined
  const named = getProxyForUrl(baseUrl)
  if (named === '') return undefined
  const bare = named.replace(/^\w+:\/\//, '')
  const isBare = variables.some(name => environment[name] === bare) // the library takes such a proxy for https
  const address = isBare ? `http://${bare}` : named
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol)) throw usageErrors.badProxy()
  return new URL(address)
}
