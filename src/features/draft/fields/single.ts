import { parse } from 'yaml'
import type { Column } from '../columns/column.ts'
import { type Fragment, isText } from '../lines.ts'
import type { FlowMap } from '../yaml.ts'
import { datePart, estimatePart } from './dates.ts'
import { numberField, textRule, unlessAll, urlField, yesNoField } from './rules.ts'

/** The rule of one column under a field that a person chose; `as` is the kind of value that the field takes. */
export function ruleFor(field: string, column: Column, as: string | undefined, isTask: boolean): FlowMap {
  const key = field.split('.').at(-1) ?? ''
  const text = textRule(column)
  const drafted = (part: Fragment | undefined, name = key) => ruleIn(part, name) ?? { ...text, as }
  if (/^(estimated|actual)_time$/.test(field)) return drafted(estimatePart(column), 'estimated_time')
  if (as === 'datetime') return drafted(datePart(key, column))
  if (as === 'number') return drafted(numberField(key, column))
  if (as === 'boolean') return drafted(yesNoField(key, column))
  if (as === 'email') return { ...text, as, otherwise: unlessAll(column, column.fits.email) }
  if (as === 'phone') return { ...text, as, extension: 'keep', otherwise: 'keep' }
  if (key === 'domain') return drafted(urlField(key, column, key))
  if (key.endsWith('_url')) return drafted(urlField(key, column, 'url'))
  return { ...text, as: field === 'description' && isTask ? 'html' : as }
}

/** The rule in the lines of a draft; of a question, that of its first answer. */
function ruleIn(part: Fragment | undefined, key: string): FlowMap | undefined {
  const lines = part?.lines.flatMap(line => (isText(line) ? line : (line.choices[0]?.part.lines ?? [])))
  const own = lines?.filter(isText).map(line => (line.startsWith(`# ${key}:`) ? line.slice(2) : line))
  return own && parse(own.join('\n'))?.[key]
}
