import { hash } from 'node:crypto'
import { isContentKey } from './content-key.ts'
import { foldedKey } from './spelling.ts'

/** 96 bits of a key's SHA-256: for a thousand million keys the chance that two share it is below 1 in 10^10. */
export type Fingerprint = readonly [number, number, number]

let lastKey: string | undefined
let lastFingerprint: Fingerprint = [0, 0, 0]
let lastSpelledKey: string | undefined
let lastSpelled: Fingerprint = [0, 0, 0]

/** The text by which a key is hashed: a hash takes all halves of surrogates for one sign. */
export const hashable = (key: string): string => (/\p{Cs}/u.test(key) ? JSON.stringify(key) : key)

/** The last fingerprint is kept, because one row needs it several times. */
export function fingerprint(key: string): Fingerprint {
  if (lastKey !== key)
    lastFingerprint = isContentKey(key)
      ? contentFingerprint(key)
      : digestFingerprint(hash('sha256', hashable(key), 'binary'))
  lastKey = key
  return lastFingerprint
}

const digestFingerprint = (digest: string) =>
  [bytesAt(digest, 0), bytesAt(digest, 4), bytesAt(digest, 8)] as const

const bytesAt = (digest: string, at: number) =>
  ((digest.charCodeAt(at) << 24) |
    (digest.charCodeAt(at + 1) << 16) |
    (digest.charCodeAt(at + 2) << 8) |
    digest.charCodeAt(at + 3)) >>>
  0

/** The first 32 bits of a hash in hex. */
export const firstWord = (hash: string): number => hexWord(hash, 0)

/** The number that eight lower-case hex digits of a text make; NaN for others. It is several times as fast as parseInt. */
export function hexWord(text: string, from: number): number {
  let number = 0
  for (let at = from; at < from + 8; at += 1) number = number * 16 + digitOf(text.charCodeAt(at))
  return number
}

function digitOf(code: number): number {
  if (code >= 48 && code <= 57) return code - 48
  return code >= 97 && code <= 102 ? code - 87 : Number.NaN
}

/** The fingerprint of a key whose first word is that of all its spellings: `KeyTable.hasFirst` finds them. */
export function spelledFingerprint(key: string): Fingerprint {
  if (lastSpelledKey === key) return lastSpelled
  const exact = fingerprint(key)
  lastSpelled = isContentKey(key) ? exact : [shortHash(foldedKey(key)), exact[1], exact[2]]
  lastSpelledKey = key
  return lastSpelled
}

/** A hash of 32 bits that costs little: FNV-1a, mixed as MurmurHash3 does, because tables are in the order of first words. */
function shortHash(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** A key that is a hash is not hashed again. */
const contentFingerprint = (key: string) =>
  [hexWord(key, 7), hexWord(key, 15), Number(key.slice(24))] as const

const randomUuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** A UUID is the same in capitals. A random one is not hashed: 80 of its bits are enough for a thousand million records. */
export function recordFingerprint(recordId: string): Fingerprint {
  const id = recordId.toLowerCase()
  return randomUuid.test(id) ? [hexWord(id, 24), hexWord(id, 0), hexWord(id, 28)] : fingerprint(id)
}
