import { rmSync } from 'node:fs'
import { stringify } from 'csv-stringify/sync'
import { isReservedColumn, keyColumn, reasonColumn, textColumn } from '../../model/content-key.ts'
import { cannotWrite, LogError } from '../../model/errors.ts'
import type { Row } from '../../model/row.ts'
import { membersOf } from '../../model/values.ts'
import { checkReplaceable, whenFree } from '../../platform/busy-files.ts'
import { openDurableFile } from './durable-file.ts'

export const unfinishedName = (path: string): string => `${path}.part`

/**
 * A file that gets its name when it is complete: until then an older file keeps the name. It is for its owner alone. Removes what a killed
 * run left; another run that is still writing there notices. Throws the system's error.
 */
export async function openRejectsFile(path: string, head: string) {
  const unfinished = unfinishedName(path)
  checkReplaceable(path)
  const remove = () => whenFree(() => rmSync(unfinished, { force: true }))
  await remove()
  const file = await openDurableFile(unfinished, 'wx')
  /** Rejects once a line could not be written. */
  let written: Promise<void> = Promise.resolve()
  /** Another run's file has the unfinished name by now. */
  let isTaken = false
  const discard = async (): Promise<void> => {
    await file.close().catch(() => {})
    if (!isTaken) await remove()
  }
  await file.appendFile(head).catch(async error => {
    await discard()
    throw error
  })
  return {
    /** Adds a line, without its line end. Resolves when it is written; rejects with a LogError. */
    add(line: string): Promise<void> {
      written = written
        .then(() => file.appendFile(`${line}\n`))
        .catch(error => Promise.reject(cannotWrite(path, error)))
      return written
    },
    /** Gives the file its name, unless a part of it could not be written. Throws a LogError. */
    async close(): Promise<void> {
      try {
        await written
        const renamed = file.datasync().then(() => file.renameTo(path))
        await renamed.catch(error => {
          isTaken = error instanceof LogError
          throw isTaken ? new LogError('rejects_moved', { path: unfinished }) : error
        })
      } catch (error) {
        await discard()
        throw cannotWrite(path, error)
      }
      await file.close()
    },
    discard,
  }
}

type Cells = readonly string[]

/** The common header of several CSV sources, and the place of each source's cells under it. */
export function commonHeader(sources: readonly { readonly path: string; readonly columns: Cells }[]) {
  /** Every column once, in order of appearance; a repeated one as often as in the source that repeats it most. */
  const columns: string[] = []
  const placesIn = new Map<string, readonly (number | undefined)[]>()
  for (const { path, columns: header } of sources) {
    const taken = new Set<number>()
    const places = header.map(name => {
      if (isReservedColumn(name)) return undefined
      const known = columns.findIndex((column, at) => column === name && !taken.has(at))
      const place = known === -1 ? columns.push(name) - 1 : known
      taken.add(place)
      return place
    })
    placesIn.set(path, places)
  }
  /** Places the cells of a row of that source, which may be more or fewer than its header; `surplus` are those past it. */
  const place = (source: string, own: Cells) => {
    const places = placesIn.get(source) ?? []
    const cells = columns.map(() => '')
    for (const [at, place] of places.entries()) if (place !== undefined) cells[place] = own[at] ?? ''
    return { cells, surplus: own.slice(places.length) }
  }
  return { columns: columns as Cells, place }
}

/** A byte-order mark, which wins over the encoding that a mapping names. */
export const utf8Mark = '\uFEFF'

/** The start of a CSV rejects file: its header, with the line end. */
export const rejectsHeader = ({ columns }: { columns: Cells }, delimiter: string): string =>
  `${utf8Mark}${csvLine([...columns, keyColumn, reasonColumn], delimiter)}\n`

/** One record of CSV as csv-parse reads it, without its line end. */
export const csvLine = (cells: Cells, delimiter: string): string =>
  stringify([[...cells]], { delimiter, eof: false })

/** A line of NDJSON, for which the members of the row are copied as text, so that no number is rounded. */
export function rejectedLine(row: Pick<Row, 'asWritten' | 'text'>, key: string, reason: string): string {
  const own = [member(keyColumn, key), member(reasonColumn, reason)]
  const written = membersOf(row.asWritten ?? '{}').flatMap(([name, text]) =>
    isReservedColumn(name) ? [] : text,
  )
  const members = row.text === undefined ? written : [member(textColumn, row.text)]
  return `{${[...members, ...own].join(',')}}`
}

const member = (name: string, value: string) => `${JSON.stringify(name)}:${JSON.stringify(value)}`
