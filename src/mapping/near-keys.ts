import { type Fingerprint, textPrint, wordsPrint } from '../model/key-table.ts'
import type { Body } from '../model/row.ts'
import { isObject } from '../model/values.ts'

/** By what a body is compared with others; the third number says which of `likenesses` it is. */
export function nearKeysOf({ emails, phones, name, url_details: links }: Body): Fingerprint[] {
  const keys: Fingerprint[] = []
  let domain = isObject(links) ? textOf(links.domain) : ''
  for (const item of listOf(emails)) {
    const email = textOf(item?.email)
    if (email !== '') keys.push(textPrint(email))
    if (domain === '') domain = domainOf(email)
  }
  for (const item of listOf(phones)) {
    const phone = textOf(item?.phone_number).replace(/;.*/s, '')
    if (phone !== '') keys.push(textPrint(phone, 1))
  }
  const plain = textOf(name).replaceAll(/[^a-z\d \ud800-\udfff]/g, foldedSign)
  const words = wordsPrint(plain, 3)
  if (words !== undefined && domain !== '') keys.push(textPrint(domain, 2, words))
  if (words !== undefined) keys.push(words)
  return keys
}

const textOf = (value: unknown) => (typeof value === 'string' ? value.trim().toLowerCase() : '')

const listOf = (value: unknown) => (Array.isArray(value) ? value : [])

/** Addresses there say nothing about where somebody works. */
const freeMail =
  /^((gmail|googlemail|outlook|hotmail|live|msn|aol|icloud|me|mac|mail|protonmail|qq|163)\.com|yahoo\..*|gmx\..*|web\.de|t-online\.de|proton\.me|orange\.fr|free\.fr|libero\.it|mail\.ru|yandex\.ru)$/

function domainOf(email: string): string {
  const domain = email.slice(email.indexOf('@') + 1)
  return freeMail.test(domain) ? '' : domain
}

const spelled = ['ßss', 'øo', 'łl', 'đd', 'æae', 'œoe', 'ıi', '’', "'", '.']
const signs = new Map(spelled.map(([sign = '', ...plain]) => [sign, plain.join('')]))

/** A sign without its accents; a blank for one that is in no word. */
function foldedSign(sign: string): string {
  const known = signs.get(sign)
  if (known !== undefined) return known
  const plain = sign
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[\u0300-\u036f]/g, '')
  signs.set(sign, /[^\p{L}\p{M}\p{N}]/u.test(plain) ? ' ' : plain)
  return foldedSign(sign)
}
