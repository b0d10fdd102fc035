import { usageErrors } from '../model/usage-errors.ts'

/** Whether a host name or address is this machine itself. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(\.\d+){3}$/.test(host)

/**
 * The base URL without slashes at its end. Throws a UsageError when it is none, or when the token would go over the
 * network in the clear: http:// is for loopback hosts, unless it is allowed by name.
 */
export function checkBaseUrl(text: string, allowHttp: boolean): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) throw usageErrors.notAnAddress(text)
  const url = new URL(text)
  if (url.username !== '' || url.search !== '' || url.hash !== '') throw usageErrors.addressWithMore()
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && !allowHttp)
    throw usageErrors.addressInTheClear(url.origin)
  return url.href.replace(/\/+$/, '')
}
