// Tables of what an export of the service or a log has.
import { aligned, counted, visible } from '../../output/text.ts'
import { showValue } from '../../result/short-texts.ts'

export type List = AsyncIterable<object> | Iterable<object>

export async function firstOf<T>(items: AsyncIterable<T> | Iterable<T>, most: number): Promise<T[]> {
  const first: T[] = []
  for await (const item of items) if (first.push(item) === most) break
  return first
}

const longestCell = 400

/** Returns objects with the same fields as the cells of a table, its header first. */
export const cellsOf = ([first, ...others]: readonly object[]): string[][] =>
  first === undefined
    ? []
    : [
        Object.keys(first),
        ...[first, ...others].map(item => Object.values(item).map(value => showValue(value, longestCell))),
      ]

export const tableText = (items: readonly object[]): string =>
  items.length === 0 ? '' : `${aligned(cellsOf(items)).join('\n')}\n\n`

export const describeWithoutId = (count: number, file: string): string =>
  `${counted(count, 'row', 'rows')} of ${visible(file)} ${count === 1 ? 'has' : 'have'} no id of a record, and ${count === 1 ? 'was' : 'were'} not used.`
