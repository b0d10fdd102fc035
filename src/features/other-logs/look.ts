import { isDeepStrictEqual } from 'node:util'
import { distinctMark, hashesOf } from '../../model/content-key.ts'
import { foldedKey } from '../../model/spelling.ts'
import type { CheckedRows } from '../../run/prepared-import.ts'
import { givesRecord, type Opening, openingAfter, parseLine } from '../../store/files/lines.ts'
import { type LogFile, linesOf, openingIn } from './log-files.ts'

/** What a log has of the rows that are looked for, and its last opening that counts. */
export type Hits = Awaited<ReturnType<typeof lookThrough>>

/** Looks for rows in a log: by their key, if it has the same key columns, and by their content. Lines without one are not parsed. */
export async function lookThrough(log: LogFile, first: CheckedRows, keyColumns: readonly string[]) {
  const rows = first.namedBy(log.opening)
  const byKey = new Map(rows.map((row, at) => [binary(JSON.stringify(row.key)), at]))
  const byHash = new Map(rows.flatMap((row, at) => hashesOf(row).map(hash => [hash, at] as const)))
  /** Rows of a rejects file by the hashes of the rows that were refused. */
  const refused = new Map(rows.map((row, at) => [row.replaces?.slice(0, 16), at]))
  const byBody = new Map(rows.map(({ body_hash: hash = '' }, at) => [hash, at]))
  const bySpelling = new Map(rows.map(({ key }, at) => [spelled(JSON.stringify(key)), at]))
  const recorded = new Set<number>()
  const hits = new Map<number, boolean>()
  /** Rows that are there under another name. */
  const alike = new Set<number>()
  let { opening } = log
  /** A command counts from its closing line on; until then, its opening and the rows that it forgets. */
  let command: { readonly opening: Opening; readonly forgotten: number[] } | undefined
  let isSameKey = isDeepStrictEqual(opening.key_columns, keyColumns)
  const isAlike = opening.key_columns.some(isDistinct) === keyColumns.some(isDistinct)
  /** The row that has the body of a line, or its key in another spelling. */
  const likeAt = (text: Buffer, key: number, hash: number): number | undefined => {
    const body = text.indexOf(bodyField, hash) + bodyField.length
    const at = byBody.get(text.toString('latin1', body, body + 16))
    return at ?? (isSameKey ? bySpelling.get(spelled(text.toString('utf8', key, hash))) : undefined)
  }
  const take = (text: Buffer) => {
    if (text.includes('"rowlift":')) {
      const next = openingIn(text) ?? opening
      command = next.command && { opening: next, forgotten: [] }
      if (command === undefined) opening = next
      isSameKey = isDeepStrictEqual(next.key_columns, keyColumns)
    } else if (command && text.includes('"ended":')) {
      opening = openingAfter(opening, command.opening)
      for (const at of command.forgotten) for (const found of [hits, alike, recorded]) found.delete(at)
      command = undefined
    }
    const key = text.indexOf('"key":') + 6
    const hash = text.indexOf(',"hash":"', key)
    const digest = text.toString('latin1', hash + 9, hash + 25)
    const named = isSameKey ? byKey.get(text.toString('latin1', key, hash)) : undefined
    const sure = named ?? (isAlike ? byHash.get(digest) : undefined) ?? refused.get(digest)
    const at = sure ?? (isAlike ? likeAt(text, key, hash) : undefined)
    if (at === undefined) return
    const line = parseLine(String(text))
    const { status, body } = line ?? {}
    const isRefused = refused.get(digest) === at
    const isKept = line && (isRefused || givesRecord(line) || status === 'in_doubt' || (!status && body))
    if (status === 'forgotten') command?.forgotten.push(at)
    else if (isKept && sure === undefined) alike.add(at)
    else if (isKept) hits.set(at, hits.get(at) === true || byHash.get(digest) === at)
    if (line && givesRecord(line)) recorded.add(at)
  }
  for await (const { texts } of linesOf(log.path)) for (const text of texts) take(text)
  for (const at of alike.size * 10 > rows.length ? alike : []) if (!hits.has(at)) hits.set(at, false)
  const same = [...hits.values()].filter(Boolean).length
  return { found: hits.size, same, recorded: [...hits.keys()].filter(at => recorded.has(at)).length, opening }
}

const bodyField = ',"body_hash":"'

/** The folded form of a key, as JSON. */
const spelled = (json: string) => foldedKey(json.slice(1, -1))

const binary = (text: string) => Buffer.from(text).toString('latin1')
const isDistinct = (column: string) => column.endsWith(distinctMark)
