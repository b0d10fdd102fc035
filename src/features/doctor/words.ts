import type { Words } from '../../output/words/sentence.ts'

/** Advice by the code of the system, of TLS, or of the proxy. */
const waysToService: readonly (readonly [RegExp, string])[] = [
  [/TIMEDOUT|UNREACH/, 'ask for a way through the firewall, or for a proxy (HTTPS_PROXY)'],
  [/407$/, 'give its variable user and password: http://user:password@proxy.example.com:3128'],
  [/ALTNAME/, 'its certificate is that of another name: check the address'],
  [/WRONG_VERSION/, 'it speaks no TLS there: check the port'],
  [/EXPIRED/, 'have the certificate renewed'],
  [/SELF_SIGNED|UNABLE_TO/, 'name a file of its authority in NODE_EXTRA_CA_CERTS'],
  [/^/, 'check its address, the proxy and the name server'],
]

export const doctorWords = {
  usage: {
    service_not_reached: (p: { reason: string }) => `the service is not reached ({reason})
      → ${waysToService.find(([known]) => known.test(p.reason))?.[1]}`,
  },
} as const satisfies Record<string, Words>
