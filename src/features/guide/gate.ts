import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

const newSecret = () => randomBytes(32).toString('base64url')

/**
 * Admits the requests of the page alone; `host` is the address with its port. A secret in the fragment of an address is swapped once for
 * a token, which the page sends as a header: a cookie would go to all ports of this computer.
 */
export class Gate {
  readonly host: string
  readonly #secrets = new Set<string>()
  readonly #tokens = new Set<string>()

  constructor(host: string) {
    this.host = host
  }

  /** An address for one use. */
  invite(): string {
    const secret = newSecret()
    this.#secrets.add(secret)
    return `http://${this.host}/#${secret}`
  }

  /** Returns a token for a secret, which is no longer good then; undefined for any other text. */
  swap(text: string): string | undefined {
    const secret = [...this.#secrets].find(each => isSame(each, text))
    if (secret === undefined) return undefined
    this.#secrets.delete(secret)
    const token = newSecret()
    this.#tokens.add(token)
    return token
  }

  /** The page itself may be asked for by anybody who names the exact host. */
  admitsPage = ({ headers }: IncomingMessage): boolean => headers.host === this.host

  /** A call comes from the page: no other origin, no form, no address bar. */
  admitsCall(request: IncomingMessage): boolean {
    const { origin, 'sec-fetch-site': site } = request.headers
    return this.admitsPage(request) && origin === `http://${this.host}` && site === 'same-origin'
  }

  hasToken({ headers: { 'x-rowlift-token': token } }: IncomingMessage): boolean {
    return typeof token === 'string' && [...this.#tokens].some(each => isSame(each, token))
  }
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
