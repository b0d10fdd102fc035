import tls from 'node:tls'
import { atEnd } from './cleanup.ts'

/** Lets this process trust a certificate until the test ends, as NODE_EXTRA_CA_CERTS lets a whole one. */
export function trust(certificate: string): void {
  const { createSecureContext } = tls
  const trusting: typeof createSecureContext = options => {
    const made = createSecureContext(options)
    made.context.addCACert(certificate)
    return made
  }
  Object.assign(tls, { createSecureContext: trusting })
  atEnd(() => Object.assign(tls, { createSecureContext }))
}
