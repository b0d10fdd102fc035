// docs/usage/fields.md, made of the schemas of the records: `npm run schema` writes it.

/** The page, from the fields of each record by its name, and the ways to write a custom field. */
export const fieldsPage = (records, customFields) => `# Fields

<!-- Made by \`npm run schema\` from src/records/. -->

The fields that a mapping can send, as far as the [interface](../service-interface.md) is known. It shows no request bodies, so they follow the
records that the service returns. "Seen" are the words that were observed: there may be more. Another field is refused before anything is
sent, unless the mapping has \`allow_unknown_fields: true\`.

\`\`\`sh
rowlift fields task       # the same on a terminal
rowlift fields task due   # the fields with "due" in their names
\`\`\`

## Custom fields

A field of your own is an item of \`custom_field_values\`, with the id of the field and one value, by its kind:

\`\`\`text
custom_field_values:
${customFields.map(each => `  - ${each}\n`).join('')}\`\`\`

For contacts the interface does not show these items; they are checked as those of tasks.
${Object.entries(records)
  .map(([record, fields]) => section(record, fields))
  .join('')}`

const section = (record, fields) => `
## Fields of a ${record}

| field | takes | in a mapping |
|---|---|---|
${fields
  .filter(({ rule }) => rule !== undefined)
  .map(field => `| \`${field.path.join('.')}\` | ${field.takes} | \`${lineOf(field, fields)}\` |\n`)
  .join('')}`

/** The field within its objects and lists. */
function lineOf({ path, rule }, fields) {
  const isList = (_, at) =>
    fields.some(({ path: other, isList }) => isList && other.join('.') === path.slice(0, at + 1).join('.'))
  const lists = path.map(isList)
  return path.reduceRight((inner, name, at) => {
    if (at === path.length - 1) return `${name}: ${rule}`
    return `${name}: ${lists[at] ? `[{ ${inner} }]` : `{ ${inner} }`}`
  }, '')
}
