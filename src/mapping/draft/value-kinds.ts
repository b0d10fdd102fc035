import { emailTransform, phoneTransform, urlTransform } from '../transforms/contact-details.ts'
import { numberTransform } from '../transforms/number.ts'

/** Kinds of values that a column may hold throughout. */
const valueKinds = ['email', 'url', 'phone', 'international', 'number', 'decimalComma'] as const
export type ValueKind = (typeof valueKinds)[number]

const isText = (value: unknown) => typeof value === 'string'

export const isEmail = (text: string): boolean => text.includes('@') && isText(emailTransform(text))

export const isUrl = (text: string): boolean =>
  /^(https?:\/\/|[\w-]+(\.[\w-]+)+(\/|$))/i.test(text) && isText(urlTransform(text))

const phoneShape = /^[+(]?[\d][\d\s()./–-]{4,24}(\s?(x|ext\.?|extension|#)\s?\d{1,6})?$/i

/** Whether it looks as people write phone numbers: enough digits, and hardly anything else. */
export const isPhone = (text: string): boolean => {
  if (!phoneShape.test(text)) return false
  const digits = text.replaceAll(/\D/g, '').length
  return digits >= 6 && digits <= 20
}

const readPhone = phoneTransform(undefined, 'keep')

/** Whether it can be read without knowing its country. */
export const isInternational = (text: string): boolean => /^(\+|tel:)/.test(text) && isText(readPhone(text))

const readNumber = { '.': numberTransform('.'), ',': numberTransform(',') }

export const isNumber = (text: string, decimal: '.' | ','): boolean =>
  /^[-+−\d.,]/.test(text) && typeof readNumber[decimal](text) === 'number'
