import { fileURLToPath } from 'node:url'

const inTls = (name: string) => fileURLToPath(new URL(`../../../test/support/tls/${name}`, import.meta.url))

export const keyFile = inTls('key.pem')
/** For 127.0.0.1, signed by itself: who calls has to trust it. */
export const certificateFile = inTls('loopback.pem')
