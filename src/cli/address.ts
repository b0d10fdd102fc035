import { UsageError } from '../model/errors.ts'

const isLoopback = (host: string) =>
  host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(\.\d+){3}$/.test(host)

/**
 * The base URL without slashes at its end. Throws a UsageError when it is none, or when the token would go over the
 * network in the clear: http:// is for loopback hosts, unless it is allowed by name.
 */
export function checkBaseUrl(text: string, allowHttp: boolean): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new UsageError(
      `--base-url: "${text}" is not a web address; give one such as https://api.example.com`,
    )
  const url = new URL(text)
  if (url.username !== '' || url.search !== '' || url.hash !== '')
    throw new UsageError('--base-url: must be an address without user, query or fragment')
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && !allowHttp)
    throw new UsageError(
      `--base-url: ${url.origin} would carry the token in the clear; use https://, or say --allow-http if you must`,
    )
  return url.href.replace(/\/+$/, '')
}
