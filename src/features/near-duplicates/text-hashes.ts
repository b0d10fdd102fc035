import type { Fingerprint } from '../../model/key-table.ts'

// Quick hashes of texts, for which nobody gains by making two alike.

/** Mixes bits as the end of MurmurHash3 does. */
const mixed = (a: number, b: number) =>
  (Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35)) >>> 0

const seeds = [0xdeadbeef, 0x41c6ce57] as const

/** 64 bits of a text, and its kind. It may begin with another text's. */
export function textFingerprint(text: string, kind = 0, before?: Fingerprint): Fingerprint {
  let a = before?.[0] ?? seeds[0]
  let b = before?.[1] ?? seeds[1]
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    a = Math.imul(a ^ unit, 0x9e3779b1)
    b = Math.imul(b ^ unit, 0x5f356495)
  }
  return [mixed(a, b), mixed(b, a), kind]
}

/** 32 bits of a text. */
export function textHash(text: string): number {
  let a: number = seeds[0]
  for (let at = 0; at < text.length; at += 1) a = Math.imul(a ^ text.charCodeAt(at), 0x9e3779b1)
  return mixed(a, text.length)
}

/** Hashes words alike in any order, with blanks between them; undefined if there are none. */
export function wordsFingerprint(text: string, kind: number): Fingerprint | undefined {
  let [sumA, sumB] = [0, 0]
  let a: number = seeds[0]
  let b: number = seeds[1]
  let length = 0
  for (let at = 0; at <= text.length; at += 1) {
    const unit = text.charCodeAt(at) // NaN at the end
    if (unit > 0x20) {
      a = Math.imul(a ^ unit, 0x9e3779b1)
      b = Math.imul(b ^ unit, 0x5f356495)
      length += 1
    } else if (length > 0) {
      sumA = (sumA + mixed(a, b)) >>> 0
      sumB = (sumB + mixed(b, a)) >>> 0
      a = seeds[0]
      b = seeds[1]
      length = 0
    }
  }
  return sumA === 0 && sumB === 0 ? undefined : [sumA, sumB, kind]
}
