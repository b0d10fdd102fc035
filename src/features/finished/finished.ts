// A small file beside the log of a large import in which nothing is left to do. The same command again need not read its rows then. It counts
// only if log and sources are the same bytes, and is never needed: without it, or if in doubt, a run reads log and rows.
import { createHash, hash } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { ulid } from 'ulid'
import { fileOnDisk, hashFile } from '../../input/bytes.ts'
import { replaceFile } from '../../platform/replace-file.ts'
import { fileOf } from '../../run/paths.ts'
import type { Finished, PreparedImport } from '../../run/prepared-import.ts'
import { Checkpoint } from '../../store/files/checkpoint.ts'
import { unseal, withChecksum } from '../../store/files/checksum.ts'
import { type Closing, type Opening, openingAfter, parseLine, parseOpening } from '../../store/files/lines.ts'
import { intentLogPath, noEnd, readTexts, streamOf } from '../../store/files/whole-lines.ts'

/** A log of some 100,000 rows. A smaller one is read in a few seconds, and gets no such file. */
const large = 50_000_000

interface Noted {
  /** The hash of all that says what the rows mean, and what is to be done. */
  readonly command: string
  /** The SHA-256 of each source. */
  readonly sources: readonly string[]
  /** The log, and the checksum of its last line. */
  readonly log: { readonly bytes: number; readonly sha256: string; readonly crc: number }
  readonly opening: Opening
  /** Rows with a record in the log. */
  readonly settled: number
  /** Rows by their ends in the same run again. */
  readonly done: number
  readonly duplicate: number
  readonly leftOut: number
}

/** Adds the file to an import that is the same each time, and of files. */
export function withFinished(prepared: PreparedImport, leastBytes = large): PreparedImport {
  const { settings, options, totalBytes, existing, approval, comparison, changes, store } = prepared
  const others = existing ?? approval ?? comparison ?? changes ?? store ?? settings.limit
  const log = fileOf(options.results)
  if (log === undefined || totalBytes === undefined || others !== undefined) return prepared
  return { ...prepared, finished: finishedOf(prepared, log, totalBytes, leastBytes) }
}

function finishedOf(prepared: PreparedImport, log: string, totalBytes: number, leastBytes: number): Finished {
  const { settings, options, mapping, sources, tally, stop, ports, otherLogs } = prepared
  const path = `${log}.finished`
  const named = [ports.version, settings, options.sources, mapping.file, mapping.sha256]
  const command = hash('sha256', JSON.stringify(named))
  let sourceHashes: readonly string[] | undefined
  let [sha, bytes, crc] = [createHash('sha256'), 0, 0]

  /** Checks that the run left all rows alone without mapping one, or was the first and made a record of each. */
  function isOver({ opening, end, inDoubt, lacksLines }: Checkpoint): boolean {
    const { ends, leftOut, rows, changed, returned } = tally
    const made = ends.created + ends.existing
    const isFirst = opening === undefined && end.cutTo === 0 && made + leftOut === rows && !mapping.isDistinct
    const isRepeat = ends.done > 0 && ends.done + ends.duplicate + leftOut === rows
    const isSure = mapping.lookups.rows === made && changed + returned + inDoubt === 0 && !lacksLines
    return stop.reason === undefined && isSure && (isFirst || isRepeat)
  }

  /** Counts the rows as if they had been read. */
  function count({ done, duplicate, leftOut }: Noted): void {
    ports.emit({ type: 'bytes_read', bytes: totalBytes })
    ports.emit({ type: 'batch', rows: done + duplicate + leftOut })
    Object.assign(tally.ends, { done, duplicate })
    tally.leftOut = leftOut
  }

  async function hashSources(): Promise<string[]> {
    const hashes: string[] = []
    for (const source of sources) {
      hashes.push((await hashFile(await fileOnDisk(source.path))).sha256)
      await source.check?.()
    }
    return hashes
  }

  async function* restOfLog() {
    for await (const chunk of streamOf(log, bytes)) {
      if (stop.reason !== undefined) throw new Error('stopped')
      sha.update(chunk)
      bytes += chunk.length
      yield chunk
    }
  }

  /** Checks that each line follows from the one before it. Returns the lines by which this run opened and closed. */
  async function readOwnLines(runId: string, start: number) {
    let [at, last] = [bytes, '']
    let opening: Opening | undefined
    for await (const { texts, isEnd } of readTexts(log, restOfLog()))
      for (const text of texts) {
        const line = unseal(text)
        if (isEnd || line?.chain !== crc) return undefined
        if (at >= start) opening ??= parseOpening(line.json)
        ;[crc, at, last] = [line.crc, at + text.length + 1, line.json]
      }
    const closing = parseLine(last) as Closing | undefined
    const isOwn = opening?.run === runId && closing?.run === runId && closing.ended !== undefined
    return isOwn && (closing.unmet ?? closing.stopped) === undefined ? opening : undefined
  }

  return {
    async recall() {
      const startedMs = ports.clock.now().getTime()
      try {
        const noted = notedIn(path)
        if (noted?.command !== command || noted.log.bytes !== statSync(log).size) return undefined
        if (existsSync(intentLogPath(log)) || (await otherLogs?.hasCopies?.(log))) return undefined
        sourceHashes = await hashSources()
        if (`${sourceHashes}` !== `${noted.sources}`) return undefined
        if ((await hashFile(log, sha)).sha256 === noted.log.sha256) {
          ;[bytes, crc] = [noted.log.bytes, noted.log.crc]
          return { startedMs, checkpoint: pastOf(noted), count: () => count(noted) }
        }
      } catch {} // the run reads all, and says what is wrong
      sha = createHash('sha256')
      return undefined
    },
    async note({ runId, checkpoint, lock }) {
      if (!isOver(checkpoint)) return
      try {
        if (statSync(log).size < leastBytes) return
        const opening = await readOwnLines(runId, checkpoint.end.cutTo)
        if (opening === undefined) return
        sourceHashes ??= await hashSources()
        const noted: Noted = {
          ...{ command, sources: sourceHashes, log: { bytes, sha256: sha.digest('hex'), crc } },
          opening: openingAfter(checkpoint.opening, opening),
          settled: checkpoint.settled + tally.ends.created + tally.ends.existing,
          done: tally.rows - tally.ends.duplicate - tally.leftOut,
          ...{ duplicate: tally.ends.duplicate, leftOut: tally.leftOut },
        }
        const text = `${withChecksum(JSON.stringify(noted))}\n`
        await (await replaceFile(path, [text], { id: ulid(), check: () => lock?.check() })).close()
      } catch {} // the next run reads all
    },
  }
}

function notedIn(path: string): Noted | undefined {
  const line = unseal(readFileSync(path).subarray(0, -1))
  return line && JSON.parse(line.json)
}

/** What the log says, but for the keys of rows: each has its record, and reads as it did. */
const pastOf = ({ log: { bytes, crc }, opening, settled, done, duplicate }: Noted): Checkpoint =>
  Object.assign(new Checkpoint(), {
    ...{ opening, settled, lastRows: done + duplicate },
    end: { ...noEnd, crc, cutTo: bytes, groupAt: bytes }, // the file came after the last sync of the log
    get: () => ({ status: 'settled', sameHash: true }) as const,
  })
