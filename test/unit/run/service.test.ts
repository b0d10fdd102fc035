import { describe, expect, it } from 'vitest'
import { proxyFor } from '../../../src/run/service.ts'

const HTTPS_PROXY = 'http://proxy:3128'

/** Whether calls to a service go through the proxy. */
const isProxied = (service: string, noProxy: string) =>
  proxyFor(service, { HTTPS_PROXY, HTTP_PROXY: HTTPS_PROXY, NO_PROXY: noProxy }) !== undefined

describe('proxy of the environment', () => {
  it.each([
    ['https://api.example.com', ''],
    ['https://api.example.com', 'example.com'],
    ['https://api.example.com', 'other.com, ,,.example.org'],
    ['https://api.example.com', 'api.example.com:8443'],
    ['https://api.example.com:8443', 'api.example.com:443'],
    ['http://api.example.com', 'api.example.com:443'],
    ['https://[2001:db8::1]', '[2001:db8::2]'],
  ])('the proxy is used for %s where NO_PROXY is %j', (service, noProxy) => {
    expect(isProxied(service, noProxy)).toBe(true)
  })

  it.each([
    ['https://api.example.com', '*'],
    ['https://api.example.com', 'other.com,api.example.com'],
    ['https://api.example.com', 'other.com API.Example.Com'],
    ['https://api.example.com', '.example.com'],
    ['https://api.example.com', '*.example.com'],
    ['https://api.example.com', '*example.com'],
    ['https://api.example.com', 'api.example.com:443'],
    ['http://api.example.com', 'api.example.com:80'],
    ['https://api.example.com:8443', '.example.com:8443'],
    ['https://[2001:db8::1]', '[2001:db8::1]'],
    ['http://127.0.0.1:8787', ''],
  ])('the proxy is not used for %s where NO_PROXY is %j', (service, noProxy) => {
    expect(isProxied(service, noProxy)).toBe(false)
  })

  it('the proxy is that of the scheme, else that of all, and lower case counts more', () => {
    const proxyOf = (environment: Record<string, string>) =>
      proxyFor('https://api.example.com', environment)?.href
    expect(proxyOf({ HTTPS_PROXY: 'http://a', https_proxy: 'http://b', ALL_PROXY: 'http://c' })).toBe(
      'http://b/',
    )
    expect(proxyOf({ HTTP_PROXY: 'http://a', all_proxy: 'c:3128' })).toBe('http://c:3128/')
    expect(proxyOf({ HTTP_PROXY: 'http://a' })).toBeUndefined()
    expect(proxyOf({})).toBeUndefined()
  })
})
