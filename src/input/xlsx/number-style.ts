import { type Attributes, badPart, type Part, readWhole } from './xml.ts'

/** What a cell's style makes of its number. */
export interface NumberStyle {
  readonly day: boolean
  readonly time: boolean
  /** Hours go past 24. */
  readonly elapsed: boolean
  /** Fractions of seconds. */
  readonly fraction: boolean
}

/** Formats that files name by number only; those of 27 to 58 are East Asian, those from 71 on Thai. */
const builtIn: readonly (readonly [code: string, ids: string])[] = [
  ['d', ' 14 15 16 17 27 28 29 30 31 34 35 36 50 51 52 53 54 55 56 57 58 71 72 73 74 81 '],
  ['h', ' 18 19 20 21 32 33 45 75 76 78 '],
  ['d h', ' 22 77 '],
  ['[h]', ' 46 79 '],
  ['s.0', ' 47 80 '],
]

const mostStyles = 1_000_000

/** The styles of cells by their number; undefined where a number is only a number. Throws a SourceError. */
export async function readStyles(part: Part | undefined): Promise<readonly (NumberStyle | undefined)[]> {
  const codes = new Map<string, string>()
  const found = new Map<string, NumberStyle | undefined>()
  const styles: (NumberStyle | undefined)[] = []
  let isOfCells = false
  const styleNumbered = (id: string) => {
    if (!found.has(id)) {
      const code = codes.get(id) ?? builtIn.find(([, ids]) => ids.includes(` ${id} `))?.[0] ?? ''
      found.set(id, styleOf(code))
    }
    return found.get(id)
  }
  if (part === undefined) return styles
  await readWhole(part, {
    open(name, { numFmtId, formatCode }: Attributes) {
      const id = numFmtId ?? '0'
      if (name === 'numFmt') codes.set(id, formatCode ?? '')
      if (name === 'cellXfs') isOfCells = true
      if (name === 'xf' && isOfCells) styles.push(styleNumbered(id))
      if (styles.length > mostStyles) throw badPart(part, 'many_styles')
    },
    close(name) {
      if (name === 'cellXfs') isOfCells = false
    },
  })
  return styles
}

/** Reads the first section of a format, without texts, colours and currencies. */
function styleOf(code: string): NumberStyle | undefined {
  const [section = ''] = code
    .replaceAll(/"[^"]*"|\\.|[_*]./gs, '')
    .toLowerCase()
    .split(';')
  const elapsed = /\[(h+|m+|s+)\]/.test(section)
  const signs = section.replaceAll(/\[[^\]]*\]|general|am\/pm|a\/p|e[+-]|(?<=s\]?)\.0+/g, '')
  if (/[#?0]/.test(signs)) return undefined // `0.00 EUR` is no year
  const time = elapsed || /[hs]/.test(signs)
  const day = /[ydgeb]|mmm|aaa/.test(signs) || (!time && signs.includes('m'))
  return time || day ? { day, time, elapsed, fraction: /s\]?\.0/.test(section) } : undefined
}
