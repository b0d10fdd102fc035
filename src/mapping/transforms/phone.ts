import type { CountryCode } from 'libphonenumber-js'
import { lazyLibrary } from '../../model/package.ts'
import { problem } from '../../model/problem.ts'
import { onText, type Transform } from '../scope.ts'

const phoneNumbers = lazyLibrary<typeof import('libphonenumber-js')>('libphonenumber-js')

/** By its ISO 3166 code. */
export const isKnownCountry = (country: string): country is CountryCode =>
  phoneNumbers().isSupportedCountry(country)

/** A phone number as E.164; `country` is the default. An extension follows as in RFC 3966: `+14168109897;ext=752`. */
export function phoneTransform(country: CountryCode | undefined, extension: 'keep' | 'drop'): Transform {
  return onText(text => {
    const known = plainNumber(text, country)
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

/** Reads a number of digits and usual signs in a small part of the library's time; undefined where only the library can tell. */
export function plainNumber(text: string, country: CountryCode | undefined): string | undefined {
  const isInternational = text.startsWith('+')
  if (text.length > 30 || (country === undefined && !isInternational)) return undefined
  const digits = digitsOf(text)
  if (digits.length < 3) return undefined
  return country === undefined || isInternational
    ? internationalNumber(digits)
    : nationalNumber(digits, planOf(country))
}

/** Empty when there are other signs too. */
const digitsOf = (text: string) => (/^\+?[\d ()./-]*$/.test(text) ? text.replaceAll(/\D/g, '') : '')

/** `digits` begin with a calling code. */
function internationalNumber(digits: string): string | undefined {
  for (let length = 1; length <= 3; length++) {
    const plan = planOf(digits.slice(0, length))
    if (plan !== undefined) return e164(plan, withoutPrefix(digits.slice(length), plan))
  }
  return undefined
}

function nationalNumber(digits: string, plan: Plan | undefined): string | undefined {
  if (plan === undefined || plan.internationalPrefix.test(digits)) return undefined
  const national = withoutPrefix(digits, plan)
  if (national === undefined) return undefined
  if (!digits.startsWith(plan.callingCode) || plan.pattern.test(national)) return e164(plan, national)
  const rest = withoutPrefix(digits.slice(plan.callingCode.length), plan)
  return rest !== undefined && plan.pattern.test(rest) ? internationalNumber(digits) : undefined
}

const e164 = (plan: Plan, national: string | undefined) =>
  national !== undefined && plan.lengths.has(national.length) ? `+${plan.callingCode}${national}` : undefined

/** By the library's rules: what a valid number needs is no prefix. Undefined where not all countries with the code have the length. */
function withoutPrefix(digits: string, { nationalPrefix, transformRule, pattern, lengths }: Plan) {
  const match = nationalPrefix?.exec(digits)
  if (!nationalPrefix || !match) return digits
  const rest =
    transformRule && match.length > 1 && match.at(-1)
      ? digits.replace(nationalPrefix, transformRule)
      : digits.slice(match[0].length)
  if (rest === digits || (pattern.test(digits) && !pattern.test(rest))) return digits
  return lengths.has(rest.length) ? rest : undefined
}

/** How numbers of a country, or of a calling code, are dialled. */
interface Plan {
  readonly callingCode: string
  readonly internationalPrefix: RegExp
  readonly nationalPrefix: RegExp | undefined
  readonly transformRule: string | undefined
  /** Of a valid national number. */
  readonly pattern: RegExp
  /** Of national numbers that are possible in all countries with the calling code. */
  readonly lengths: ReadonlySet<number>
}

const plans = new Map<string, Plan | undefined>()

function planOf(countryOrCode: string): Plan | undefined {
  let plan = plans.get(countryOrCode)
  if (plan === undefined && !plans.has(countryOrCode)) {
    plan = readPlan(countryOrCode)
    plans.set(countryOrCode, plan)
  }
  return plan
}

function readPlan(countryOrCode: string): Plan | undefined {
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
    transformRule: plan.nationalPrefixTransformRule() || undefined,
    pattern: new RegExp(`^(?:${plan.nationalNumberPattern()})$`),
    lengths: new Set(
      plan.possibleLengths().filter(length => sharing.every(of => of.possibleLengths().includes(length))),
    ),
  }
}

/** What the library's types lack. */
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
