import { isDeepStrictEqual } from 'node:util'
import { distinctMark, hashesOf } from '../../model/content-key.ts'
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
  const recorded = new Set<number>()
  const hits = new Map<number, boolean>()
  let { opening } = log
  /** A command counts from its closing line on; until then, its opening and the rows that it forgets. */
  let command: { readonly opening: Opening; readonly forgotten: number[] } | undefined
  let isSameKey = isDeepStrictEqual(opening.key_columns, keyColumns)
  const isAlike = opening.key_columns.some(isDistinct) === keyColumns.some(isDistinct)
  const take = (text: Buffer) => {
    if (text.includes('"rowlift":')) {
      const next = openingIn(text) ?? opening
      command = next.command && { opening: next, forgotten: [] }
      if (command === undefined) opening = next
      isSameKey = isDeepStrictEqual(next.key_columns, keyColumns)
    } else if (command && text.includes('"ended":')) {
      opening = openingAfter(opening, command.opening)
      for (const at of command.forgotten) hits.delete(at)
      command = undefined
    }
    const key = text.indexOf('"key":') + 6
    const hash = text.indexOf(',"hash":"', key)
    const digest = text.toString('latin1', hash + 9, hash + 25)
    const named = isSameKey ? byKey.get(text.toString('latin1', key, hash)) : undefined
    const at = named ?? (isAlike ? byHash.get(digest) : undefined) ?? refused.get(digest)
    if (at === undefined) return
    const line = parseLine(String(text))
    const { status, body } = line ?? {}
    const isRefused = refused.get(digest) === at
    if (status === 'forgotten') command?.forgotten.push(at)
    else if (line && (isRefused || givesRecord(line) || status === 'in_doubt' || (!status && body)))
      hits.set(at, hits.get(at) === true || byHash.get(digest) === at)
    if (line && givesRecord(line)) recorded.add(at)
  }
  for await (const { texts } of linesOf(log.path)) for (const text of texts) take(text)
  const same = [...hits.values()].filter(Boolean).length
  return { found: hits.size, same, recorded: recorded.size, opening }
}

const binary = (text: string) => Buffer.from(text).toString('latin1')
const isDistinct = (column: string) => column.endsWith(distinctMark)
