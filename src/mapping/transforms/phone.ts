import type { CountryCode } from 'libphonenumber-js'
import { lazyLibrary } from '../../model/package.ts'
import { problem } from '../../model/problem.ts'
import { onText, type Transform } from '../scope.ts'

const phoneNumbers = lazyLibrary<typeof import('libphonenumber-js')>('libphonenumber-js')

export const isKnownCountry = (country: string): country is CountryCode =>
  phoneNumbers().isSupportedCountry(country)

/** Reads phone numbers as E.164; `country` is the default. An extension follows as in RFC 3966: `+14168109897;ext=752`. */
export function phoneTransform(country: CountryCode | undefined, extension: 'keep' | 'drop'): Transform {
  phoneNumbers() // before the first call: the package may be replaced while it runs
  return onText(text => {
    const known = plainNumber(text, country)
    if (known !== undefined) return known
    const mayHaveCountry = country !== undefined || /[+\uFF0B]|phone-context/.test(text)
    const number = mayHaveCountry ? phoneNumbers().parsePhoneNumberFromString(text, country) : undefined
    if (number?.isPossible())
      return number.ext && extension === 'keep' ? `${number.number};ext=${number.ext}` : number.number
    return country === undefined && !text.startsWith('+') && /\d/.test(text)
      ? problem('phone_without_country')
      : problem('not_phone')
  })
}

/**
 * Reads a valid number of digits and usual signs, by the library's own plans in a small part of its time; undefined if only the
 * library can tell.
 */
export function plainNumber(text: string, country: CountryCode | undefined): string | undefined {
  if (text.length > 30 || !/^\+?[\d ()./-]*$/.test(text)) return undefined
  const digits = text.replaceAll(/\D/g, '')
  if (text.startsWith('+')) return internationalNumber(digits)
  const plan = country && planOf(country)
  return plan && nationalNumber(digits, plan)
}

/** `digits` begin with a calling code. */
function internationalNumber(digits: string): string | undefined {
  for (let length = 1; length <= 3; length += 1) {
    const plan = planOf(digits.slice(0, length))
    if (plan !== undefined) return isValid(digits.slice(length), plan) ? `+${digits}` : undefined
  }
  return undefined
}

function nationalNumber(digits: string, plan: Plan): string | undefined {
  if (plan.internationalPrefix.test(digits)) return undefined
  const prefix = plan.nationalPrefix?.exec(digits)
  if (prefix && plan.hasTransformRule && prefix.length > 1 && prefix.at(-1)) return undefined
  const national = prefix ? digits.slice(prefix[0].length) : digits
  if (isValid(national, plan)) return `+${plan.callingCode}${national}`
  return prefix && isValid(digits, plan) ? `+${plan.callingCode}${digits}` : undefined
}

const isValid = (national: string, { pattern, lengths }: Plan) =>
  lengths.has(national.length) && pattern.test(national)

/** A way of dialling numbers of a country, or of a calling code. */
type Plan = NonNullable<ReturnType<typeof readPlan>>

const plans = new Map<string, Plan | undefined>()

function planOf(countryOrCode: string): Plan | undefined {
  if (!plans.has(countryOrCode)) plans.set(countryOrCode, readPlan(countryOrCode))
  return plans.get(countryOrCode)
}

function readPlan(countryOrCode: string) {
  const metadata = new (phoneNumbers().Metadata)() as unknown as Metadata
  if (/^\d*$/.test(countryOrCode) && !metadata.hasCallingCode(countryOrCode)) return undefined
  const numberingPlan = (country: string) => metadata.selectNumberingPlan(country).numberingPlan
  const plan = numberingPlan(countryOrCode)
  const callingCode = plan.callingCode()
  const sharing = (metadata.getCountryCodesForCallingCode(callingCode) ?? []).map(numberingPlan)
  const prefix = plan.nationalPrefixForParsing()
  return {
    callingCode,
    internationalPrefix: new RegExp(`^(?:${plan.IDDPrefix()})`),
    nationalPrefix: prefix ? new RegExp(`^(?:${prefix})`) : undefined,
    hasTransformRule: Boolean(plan.nationalPrefixTransformRule()),
    /** The pattern of a valid national number. */
    pattern: new RegExp(`^(?:${plan.nationalNumberPattern()})$`),
    /** Lengths of national numbers that are possible in all countries with the calling code. */
    lengths: new Set(
      plan.possibleLengths().filter(length => sharing.every(of => of.possibleLengths().includes(length))),
    ),
  }
}

/** A part of the library that its types lack. */
interface Metadata {
  hasCallingCode(code: string): boolean
  getCountryCodesForCallingCode(code: string): readonly string[] | undefined
  selectNumberingPlan(countryOrCode: string): { readonly numberingPlan: NumberingPlan }
}

interface NumberingPlan {
  callingCode(): string
  IDDPrefix(): string
  nationalPrefixForParsing(): string | undefined
  nationalPrefixTransformRule(): string | undefined
  nationalNumberPattern(): string
  possibleLengths(): readonly number[]
}
