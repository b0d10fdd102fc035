import type { Fingerprint } from '../../model/fingerprint.ts'

// Quick hashes of texts, for which nobody gains by making two alike.

/** Mixes bits as the end of MurmurHash3 does. */
const mixed = (a: number, b: number) =>
  (Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35)) >>> 0

const seeds: Fingerprint = [0xdeadbeef, 0x41c6ce57, 0]

/** 64 bits of a text, and its kind. It may begin with another text's. */
export function textFingerprint(text: string, kind = 0, before = seeds): Fingerprint {
  let a = before[0]
  let b = before[1]
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    a = Math.imul(a ^ unit, 0x9e3779b1)
    b = Math.imul(b ^ unit, 0x5f356495)
  }
  return [mixed(a, b), mixed(b, a), kind]
}

/** Hashes words alike in any order, with blanks between them; undefined if there are none. */
export function wordsFingerprint(text: string, kind: number): Fingerprint | undefined {
  let [sumA, sumB] = [0, 0]
  for (const word of text.split(' ')) {
    if (word === '') continue
    const hash = textFingerprint(word)
    sumA = (sumA + hash[0]) >>> 0
    sumB = (sumB + hash[1]) >>> 0
  }
  return sumA === 0 && sumB === 0 ? undefined : [sumA, sumB, kind]
}
