import type { Field } from '../model/mapping-report.ts'

const commentAt = 64

/** Fields as the lines of a body, each with what it takes, then the ways to write a custom field. */
export function describeFields(fields: readonly Field[], customFields: readonly string[]): string {
  let above: Field | undefined
  const lines = fields.map(field => {
    const { path, indent, takes, rule } = field
    const isFirst = above?.isList && above.path.length < path.length
    above = field
    const start = ' '.repeat(isFirst ? indent - 2 : indent) + (isFirst ? '- ' : '')
    const line = `${start}${path.at(-1)}:${rule === undefined ? '' : ` ${rule}`}`
    return `${line.padEnd(commentAt - 1)} # ${takes}\n`
  })
  const custom = customFields.map(each => `  - ${each}\n`)
  return [
    ...lines,
    ...(custom.length > 0
      ? ['\n# Each custom field has one value, by its kind:\ncustom_field_values:\n']
      : []),
    ...custom,
  ].join('')
}
