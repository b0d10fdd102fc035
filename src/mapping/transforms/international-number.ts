import type { CountryCode } from 'libphonenumber-js'
import { phoneNumbers } from '../libraries.ts'

/** What is needed of the numbering plans that share a calling code. */
interface CallingCode {
  readonly digits: string
  /** How long a national number can be in every one of its countries. */
  readonly lengths: ReadonlySet<number>
  /** What a national number begins with that may be no part of it. */
  readonly prefix: RegExp | undefined
}

const plainNumber = /^\+[1-9][\d ().-]+$/
const callingCodes = new Map<string, CallingCode>()

/**
 * An international number that is written with a plus, digits, blanks and signs between them, as E.164. It is a fifth of the
 * library's work, over the same numbering plans; undefined where the library has to look.
 */
export function internationalNumber(text: string): string | undefined {
  if (!plainNumber.test(text) || text.length > 30) return undefined
  const number = text.replaceAll(/\D/g, '')
  const code = callingCodeOf(number)
  if (code === undefined) return undefined
  const national = number.slice(code.digits.length)
  if (!code.lengths.has(national.length) || code.prefix?.test(national)) return undefined
  return `+${number}`
}

function callingCodeOf(number: string): CallingCode | undefined {
  if (callingCodes.size === 0) for (const code of readCallingCodes()) callingCodes.set(code.digits, code)
  return (
    callingCodes.get(number.slice(0, 1)) ??
    callingCodes.get(number.slice(0, 2)) ??
    callingCodes.get(number.slice(0, 3))
  )
}

function readCallingCodes(): CallingCode[] {
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

/** The library's types lack the one method, and the calling codes. */
interface Plan {
  possibleLengths(): number[]
  nationalPrefixForParsing(): string | undefined
}

function planOf(countryOrCallingCode: string): Plan {
  const metadata = new (phoneNumbers().Metadata)()
  metadata.selectNumberingPlan(countryOrCallingCode as CountryCode)
  return metadata.numberingPlan as unknown as Plan
}
