/** A text cut to a length that can be shown. What is left is a copy, for a piece of a text holds all of it in memory. */
export function shortened(text: string, longest: number): string {
  if (text.length <= longest) return text
  const end = isHighHalf(text.charCodeAt(longest - 1)) ? longest - 1 : longest
  return `${Buffer.from(text.slice(0, end)).toString()}…`
}

/** Whether a character goes on with the next unit, as emoji do. */
const isHighHalf = (unit: number) => unit >= 0xd800 && unit <= 0xdbff

/** Any value as text: what is text as it stands, all else as JSON; undefined where there is none. */
export function shownValue(value: unknown, longest: number): string | undefined {
  if (value === undefined) return undefined
  return shortened(typeof value === 'string' ? value : jsonOf(value), longest)
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return '' // nested deeper than can be written
  }
}

/** A body spread over lines, the texts in it cut so that it can be shown. */
export const shownBody = (body: unknown, longestText: number, longest: number): string =>
  shortened(
    JSON.stringify(
      body,
      (_, value) => (typeof value === 'string' ? shortened(value, longestText) : value),
      2,
    ),
    longest,
  )
