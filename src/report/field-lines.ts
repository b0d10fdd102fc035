import type { Field } from '../model/mapping-report.ts'

const commentAt = 64

/** Fields as the lines of a body, each with what it takes, then the ways to write a custom field. */
export function describeFields(fields: readonly Field[], customFields: readonly string[]): string {
  const lists = new Set(fields.filter(({ isList }) => isList).map(({ path }) => path.join('.')))
  const opened = new Set<string>()
  const lines = fields.map(field => {
    const parents = field.path.slice(0, -1).map((_, at) => field.path.slice(0, at + 1).join('.'))
    const indent = parents.map(parent => (lists.has(parent) ? '    ' : '  ')).join('')
    const parent = parents.at(-1) ?? ''
    const isFirst = lists.has(parent) && !opened.has(parent)
    opened.add(parent)
    const start = isFirst ? `${indent.slice(2)}- ` : indent
    const line = `${start}${field.path.at(-1)}:${field.rule === undefined ? '' : ` ${field.rule}`}`
    return `${line.padEnd(commentAt - 1)} # ${takenBy(field)}\n`
  })
  const custom = customFields.map(each => `  - ${each}\n`)
  const customBlock = ['\n# Each custom field has one value, by its kind:\ncustom_field_values:\n', ...custom]
  return [...lines, ...(custom.length > 0 ? customBlock : [])].join('')
}

/** What a field takes. */
export function takenBy({ takes, isNullable, observed }: Field): string {
  const seen = observed.length === 0 ? '' : `; seen: ${observed.join(', ')}`
  return `${takes ?? 'type not known'}${isNullable ? ' or null' : ''}${seen}`
}
