import { atPath } from './values.ts'

/** The fields by which a person recognizes the record of a body; a body that was read from a file may be anything. */
export const recognizableFields = (body: unknown) => ({
  name: textAt(body, 'name'),
  emails: textsAt(body, 'emails', 'email'),
  phones: textsAt(body, 'phones', 'phone_number'),
  dueDate: textAt(body, 'date_info.due_date'),
  parentName: textAt(body, 'parent.name'),
})

function textAt(value: unknown, path: string): string | undefined {
  const found = atPath(value, path)
  return typeof found === 'string' && found !== '' ? found : undefined
}

function textsAt(body: unknown, list: string, path: string): string[] {
  const items = atPath(body, list)
  return Array.isArray(items) ? items.flatMap(item => textAt(item, path) ?? []) : []
}
