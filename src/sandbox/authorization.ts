import { createHash, timingSafeEqual } from 'node:crypto'

/**
 * A check of the `Authorization: Bearer <token>` header (interface 5).
 * The tokens' hashes are compared, in constant time, so that neither content nor length can be timed.
 * @returns whether a header carries exactly this token; the word Bearer is matched without case (RFC 9110)
 */
export function bearerCheck(token: string): (header: string | undefined) => boolean {
  const expected = sha256(token)
  return header => {
    const given = /^Bearer +(.*)$/i.exec(header ?? '')?.[1]
    return given !== undefined && timingSafeEqual(sha256(given), expected)
  }
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
