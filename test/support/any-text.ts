import fc from 'fast-check'

interface Length {
  readonly minLength?: number
  readonly maxLength?: number
}

/** Half of a pair, and characters that are made of several. */
const halves = fc.integer({ min: 0xd800, max: 0xdfff })
const clusters = fc.constantFrom('e\u0301', '👩‍🚀', '🇫🇷', '1\ufe0f\u20e3', '각', 'ക്ഷ', '\r\n')
const ascii = fc.integer({ min: 0, max: 0x7f })
const inOnePlane = fc.integer({ min: 0x80, max: 0xd7ff })
const others = fc.integer({ min: 0xe000, max: 0x10ffff })
/** Names that every object knows. */
const known = ['__proto__', 'constructor', 'toString', 'valueOf', 'hasOwnProperty', 'length', 'then', 'key']

const signsOf = (...codes: fc.Arbitrary<number>[]) =>
  fc.oneof(...codes.map(code => code.map(each => String.fromCodePoint(each))))
const whole = fc.oneof({ arbitrary: signsOf(ascii, inOnePlane, others), weight: 9 }, clusters)
const any = fc.oneof({ arbitrary: whole, weight: 9 }, signsOf(halves))

function textOf(sign: fc.Arbitrary<string>, length: Length): fc.Arbitrary<string> {
  const { minLength = 0, maxLength = Number.MAX_SAFE_INTEGER } = length
  const fitting = known.filter(name => name.length >= minLength && name.length <= maxLength)
  return fc.oneof(
    { arbitrary: fc.array(sign, length).map(signs => signs.join('')), weight: 19 },
    fc.constantFrom(...fitting),
  )
}

/** Texts of all of Unicode, also broken ones. Those of fast-check have to list all its characters first, which takes a second. */
export const anyText = (length: Length = {}): fc.Arbitrary<string> => textOf(any, length)

/** Texts that can be written in UTF-8. */
export const wellFormedText = (length: Length = {}): fc.Arbitrary<string> => textOf(whole, length)
