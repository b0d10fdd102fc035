import { leavesOf, nilUuid } from '../../model/values.ts'
import { recognizableFields, showValue } from '../../result/short-texts.ts'

export type RecordView = ReturnType<typeof recordView>

const longest = 2_000

/** A body as a person reads it. The label of a field is the last word of its path. */
export function recordView(body: unknown) {
  const { name = '' } = recognizableFields(body)
  const fields = leavesOf(body)
    .filter(({ value }) => value !== '' && value !== null && value !== undefined)
    .map(({ path, value }) => ({
      path,
      label: labelOf(path),
      value: value === nilUuid ? '…' : showValue(value, longest),
    }))
  return { name, fields }
}

const labelOf = (path: string) =>
  (path.split('.').findLast(part => !/^\d+$/.test(part)) ?? path).replaceAll('_', ' ')
