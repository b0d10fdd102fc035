import { describe, expect, it } from 'vitest'
import { addressOf, isOnLoopback, proxyFor } from '../../../src/run/service.ts'

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

describe('address of a service', () => {
  it.each([
    ['https://api.example.com', 'HTTPS://API.Example.com:443/'],
    ['http://localhost:8080', 'http://127.0.0.1:8080'],
    ['http://localhost:8080/x', 'http://127.4.5.6:8080/x//'],
    ['http://localhost', 'http://[::1]:80'],
  ])('one address, however it is spelled: %s and %s', (one, other) => {
    expect(addressOf(one)).toBe(addressOf(other))
  })

  it.each([
    ['https://api.example.com', 'http://api.example.com'],
    ['http://localhost:8080', 'http://127.0.0.1:8081'],
    ['http://localhost:8080', 'http://a.localhost:8080'],
    ['http://127.0.0.1.example.com', 'http://localhost.example.com'],
    ['https://api.example.com/a', 'https://api.example.com/A'],
    ['no address', 'no address at all'],
  ])('two addresses: %s and %s', (one, other) => {
    expect(addressOf(one)).not.toBe(addressOf(other))
  })

  it('an address on this machine is known by its host alone', () => {
    const here = ['http://127.0.0.1:1', 'https://LOCALHOST/x', 'http://[::1]', 'http://a.localhost']
    expect(here.map(isOnLoopback)).toEqual([true, true, true, true])
    const elsewhere = [
      'https://localhost.example.com',
      'https://x.com/localhost',
      'http://127.0.0.1.x.com',
      '',
    ]
    expect(elsewhere.map(isOnLoopback)).toEqual([false, false, false, false])
  })
})
