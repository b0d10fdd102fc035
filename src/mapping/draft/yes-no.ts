import { noWords, yesWords } from '../transforms/boolean.ts'
import type { Column } from './column.ts'
import type { Part } from './lines.ts'
import { type Distrusted, type Ruled, ruledPart, textRule } from './rules.ts'

const words = {
  yes: 'ja|oui|o|sí|si|s|sim|vrai|wahr|verdadero|vero|verdadeiro|waar|t|да|истина|done|completed|complete|checked|active|v|✓|✔|☑|erledigt|是|はい',
  no: 'nein|non|não|nao|nee|faux|falsch|falso|onwaar|f|нет|ложь|to do|todo|open|not done|incomplete|unchecked|inactive|offen|-|✗|✘|☐|否|いいえ',
}
const [usualYes, usualNo] = [new Set(yesWords), new Set(noWords)]
const [yes, no] = [
  new Set([...yesWords, ...words.yes.split('|')]),
  new Set([...noWords, ...words.no.split('|')]),
]

/** The words for yes and no in a column; undefined where it holds others. */
export function yesNoWords({
  values,
  hasMoreValues,
  filled,
}: Column): { yes: string[]; no: string[] } | undefined {
  if (hasMoreValues || filled === 0 || values.size > 6) return undefined
  const found = { yes: [] as string[], no: [] as string[] }
  for (const value of values.keys()) {
    const lower = value.toLowerCase()
    if (yes.has(lower)) found.yes.push(value)
    else if (no.has(lower)) found.no.push(value)
    else return undefined
  }
  return found.yes.length + found.no.length > 0 ? found : undefined
}

/** The rule parts that read those words. */
export function wordsRule(found: { yes: string[]; no: string[] }): Ruled['rule'] {
  const isUsual =
    found.yes.every(word => usualYes.has(word.toLowerCase())) &&
    found.no.every(word => usualNo.has(word.toLowerCase()))
  if (isUsual) return { as: 'boolean' }
  return {
    as: 'boolean',
    ...(found.yes.length > 0 && { true: found.yes }),
    ...(found.no.length > 0 && { false: found.no }),
  }
}

/** A yes/no column as a field that takes nothing else; undefined where it is none. */
function yesNoRule(column: Column, distrusted: Distrusted): Ruled | undefined {
  const found = yesNoWords(column)
  if (found === undefined || column.isList) return undefined
  const isStrict = !distrusted.has(column.name)
  return {
    rule: { ...textRule(column), ...wordsRule(found), ...(!isStrict && { otherwise: 'omit' }) },
    comments: [],
  }
}

/** A yes/no column as a field, where it is one. */
export function yesNoPart(key: string, column: Column | undefined, distrusted: Distrusted): Part[] {
  const ruled = column && yesNoRule(column, distrusted)
  return ruled ? [ruledPart(key, ruled)] : []
}
