import { type Dialect, listed, type Words } from '../../output/words/sentence.ts'

/** Tokens that may be expected next in JSON. */
const signs = {
  value: 'a value',
  value_or_end: 'a value or "]"',
  key: 'a key in quotes',
  key_or_end: 'a key in quotes or "}"',
  colon: '":"',
  comma_or_end: 'a comma or a closing bracket',
  nothing: 'its end',
}

/** `rows` is the path of the list that is not there; without one, there is not exactly one list. */
type NoOneList = Readonly<{ source: string; rows: string | undefined; lists: readonly List[] }>
type List = Readonly<{ path: string; items: number }>

function noOneList({ rows, lists }: NoOneList, { lookup }: Dialect) {
  const what = rows === undefined ? 'it is not clear which list has its rows' : 'there is no list at "{rows}"'
  const [first] = lists
  if (first === undefined)
    return `{source}: ${what}, and it holds no ${rows === undefined ? '' : 'other '}list of objects
      → look at the names of its keys; objects by their ids are read with rows: KEY.* in the mapping; a single row is read with {--format} ndjson`
  return [
    `{source}: ${what}; it holds {lists}
    → name one in the mapping: ${lookup === undefined ? 'source: { rows: {path} }' : 'rows: {path}'}`,
    { path: first.path, lists: listed(lists.map(({ path, items }) => `${path} (${items})`)) },
  ]
}

export const jsonWords = {
  sources: {
    /** `sign` is the one there; empty at the end of the file. */
    bad_json: (p: {
      source: string
      line: number
      column: number
      wanted: keyof typeof signs
      sign: string
    }) => {
      const place = '{source}:{line}:{column}'
      if (p.sign === '') return `${place}: the JSON ends here, in the middle → fetch the file again`
      const isLine = p.wanted === 'nothing' && p.sign === '{'
      return `${place}: the JSON is broken here: "{sign}" where ${signs[p.wanted]} should be
        → ${isLine ? 'one object per line is read with {--format} ndjson' : ''}`
    },
    no_one_list: noOneList,
  },
} as const satisfies Record<string, Words>
