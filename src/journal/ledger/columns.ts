/** The items as a list for each field, as `unnest` takes them. */
export const columnsOf = <T>(items: readonly T[], fields: readonly (keyof T)[]): unknown[][] =>
  fields.map(field => items.map(item => item[field]))
