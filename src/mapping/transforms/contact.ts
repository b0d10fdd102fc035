import { domainToUnicode } from 'node:url'
import type { CountryCode } from 'libphonenumber-js'
import { lazyLibrary } from '../../model/package.ts'
import { problem } from '../../model/problem.ts'
import { onText, type Transform } from './text.ts'

const phoneNumbers = lazyLibrary<typeof import('libphonenumber-js')>('libphonenumber-js')

const email = /^[^\s@<>()[\]\\,;:"]+@([\p{L}\p{N}]([\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+[\p{L}\p{N}-]{2,}$/u

/** In lower case; letters of any script are valid. */
export const emailTransform: Transform = onText(text => {
  const isAddress = email.test(text) && !/^\.|\.\.|\.@/.test(text)
  return isAddress ? text.toLowerCase() : problem('not_email')
})

/** By its ISO 3166 code. */
export const isKnownCountry = (country: string): country is CountryCode =>
  phoneNumbers().isSupportedCountry(country)

/** A phone number as E.164; `country` is the default. An extension follows as in RFC 3966: `+14168109897;ext=752`. */
export function phoneTransform(country: CountryCode | undefined, extension: 'keep' | 'drop'): Transform {
  return onText(text => {
    const known = internationalNumber(text)
    if (known !== undefined) return known
    if (country === undefined && isNational(text))
      return /\d/.test(text) ? problem('phone_without_country') : problem('not_phone')
    const number = phoneNumbers().parsePhoneNumberFromString(text, country)
    if (number?.isPossible())
      return number.ext && extension === 'keep' ? `${number.number};ext=${number.ext}` : number.number
    return country === undefined && !text.startsWith('+') && /\d/.test(text)
      ? problem('phone_without_country')
      : problem('not_phone')
  })
}

/** The number has no country code. */
const isNational = (text: string) => !/[+\uFF0B]|phone-context/.test(text)

/** The host must have a dot; https:// is the default. */
function webUrl(text: string): { url: URL; text: string } | undefined {
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`
  if (/\s/.test(text) || !URL.canParse(whole)) return undefined
  const url = new URL(whole)
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:'
  return isWeb && url.username === '' && /[^.]\.[^.\d][^.]*\.?$/.test(url.hostname)
    ? { url, text: whole }
    : undefined
}

/** With https:// where it has no scheme. */
export const urlTransform: Transform = onText(text => webUrl(text)?.text ?? problem('not_url'))

/** The host without a leading www. */
export const domainTransform: Transform = onText(text => {
  const host = webUrl(text)?.url.hostname
  return host === undefined
    ? problem('not_domain')
    : domainToUnicode(host)
        .replace(/^www\.(?=.*\.)/, '')
        .replace(/\.$/, '')
})

const plainNumber = /^\+[1-9][\d ().-]+$/
const callingCodes = new Map<string, ReturnType<typeof readCallingCodes>[number]>()

/** Reads an international number in a fifth of the library's time; undefined where only the library can tell. */
export function internationalNumber(text: string): string | undefined {
  if (!plainNumber.test(text) || text.length > 30) return undefined
  const number = text.replaceAll(/\D/g, '')
  const code = callingCodeOf(number)
  if (code === undefined) return undefined
  const national = number.slice(code.digits.length)
  if (!code.lengths.has(national.length) || code.prefix?.test(national)) return undefined
  return `+${number}`
}

function callingCodeOf(number: string) {
  if (callingCodes.size === 0) for (const code of readCallingCodes()) callingCodes.set(code.digits, code)
  return (
    callingCodes.get(number.slice(0, 1)) ??
    callingCodes.get(number.slice(0, 2)) ??
    callingCodes.get(number.slice(0, 3))
  )
}

/**
 * Numbering plans that share a calling code: lengths of national numbers that are possible in all its countries, and a prefix that may
 * not be part of them.
 */
function readCallingCodes() {
  const { getCountries, getCountryCallingCode } = phoneNumbers()
  const shared = new Map<string, CountryCode[]>()
  for (const country of getCountries()) {
    const digits = String(getCountryCallingCode(country))
    shared.set(digits, [...(shared.get(digits) ?? []), country])
  }
  return [...shared].map(([digits, countries]) => {
    const plan = planOf(digits)
    const plans = [plan, ...countries.map(planOf)]
    const prefix = plan.nationalPrefixForParsing()
    return {
      digits,
      lengths: new Set(
        plan.possibleLengths().filter(each => plans.every(of => of.possibleLengths().includes(each))),
      ),
      prefix: prefix ? new RegExp(`^(?:${prefix})`) : undefined,
    }
  })
}

/** Methods that the library's types lack. */
interface Plan {
  possibleLengths(): number[]
  nationalPrefixForParsing(): string | undefined
}

function planOf(countryOrCallingCode: string): Plan {
  const metadata = new (phoneNumbers().Metadata)()
  metadata.selectNumberingPlan(countryOrCallingCode as CountryCode)
  return metadata.numberingPlan as unknown as Plan
}
