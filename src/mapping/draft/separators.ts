/** Signs that stand between several values of a cell, the more telling ones first. */
const separators = [' ::: ', ';', '|', ', ', ',', '\n', ' / ', '/', ' '] as const
export type Separator = (typeof separators)[number]

/** The signs at which every part of a cell passes the test. */
export function separatorsOf(text: string, passes: (part: string) => boolean): Separator[] {
  return separators.filter(separator => {
    if (!text.includes(separator)) return false
    const parts = text.split(separator).map(part => part.trim())
    const filled = parts.filter(part => part !== '')
    return filled.length > 0 && filled.every(passes)
  })
}
