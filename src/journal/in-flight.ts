import { readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { cannotWrite } from '../model/errors.ts'
import type { Call } from '../model/row.ts'
import { type Appendable, GroupedAppender } from './grouped-appender.ts'
import { beginLine, inFlightPath, overLine } from './in-flight-lines.ts'
import type { Lock } from './lock.ts'
import { NamedFile } from './named-file.ts'
import type { Opening } from './outcome.ts'

/** The file is written anew once it has grown by so many bytes. */
const roomBytes = 4_000_000

/**
 * Keeps `<results>.inflight` (DESIGN 4): the rows whose calls may be under way, on disk before the call. However long a
 * run is, the file holds little more than what is under way.
 */
export class InFlight {
  readonly #path: string
  readonly #opening: Opening
  readonly #now: () => Date
  readonly #lock: Lock
  readonly #underWay = new Map<string, string>()
  readonly #lines: GroupedAppender

  private constructor(path: string, file: NamedFile, opening: Opening, lock: Lock, now: () => Date) {
    this.#path = path
    this.#opening = opening
    this.#lock = lock
    this.#now = now
    const live = () => [JSON.stringify(opening), ...this.#underWay.values()]
    this.#lines = new GroupedAppender(new CompactFile(path, opening.run, file, live, lock))
  }

  /** Takes the place of what an earlier run left, whose calls must stand in the result log by now. Throws a LogError. */
  static async open(results: string, opening: Opening, lock: Lock, now: () => Date): Promise<InFlight> {
    const path = inFlightPath(results)
    try {
      removeUnfinished(path, lock)
      const file = await writtenAnew(path, opening.run, [JSON.stringify(opening)], lock)
      return new InFlight(path, file, opening, lock, now)
    } catch (error) {
      throw cannotWrite(path, error)
    }
  }

  /** Resolves once it is on disk that the call may be under way; rejects with a LogError or LockError when it cannot be. */
  begin(call: Call): Promise<void> {
    const { key } = call.identity
    const line = beginLine(this.#opening.run, this.#now(), call)
    const isRepeated = this.#underWay.has(key)
    this.#underWay.set(key, line)
    return this.#lines.append(line).catch(error => {
      if (!isRepeated) this.#underWay.delete(key) // it never went out
      throw cannotWrite(this.#path, error)
    })
  }

  /** Notes that a call is over and has reached nothing; if that note gets lost, the row is in doubt for nothing. */
  withdraw(call: Call): void {
    this.#underWay.delete(call.identity.key)
    this.#lines.append(overLine(this.#opening.run, call)).catch(() => {})
  }

  /** Notes that the outcome of a call is in the result log. */
  settled(key: string): void {
    this.#underWay.delete(key)
  }

  /** Leaves the file if the log does not tell what became of a call. Throws a LogError, or a LockError and leaves it. */
  async close(): Promise<void> {
    await this.#lines.close()
    if (this.#underWay.size === 0) removeInFlight(this.#path, this.#lock)
  }
}

/** Removes a file whose calls all stand in the result log. Throws a LogError, or a LockError when it is another run's. */
export function removeInFlight(path: string, lock: Lock): void {
  try {
    lock.check()
    rmSync(path, { force: true })
  } catch (error) {
    throw cannotWrite(path, error)
  }
}

/** What a file that is written anew holds. */
type Live = () => readonly string[]

/** A file of lines most of which are soon over: it is written anew when it has grown, by a rename that is all or nothing. */
class CompactFile implements Appendable {
  readonly #path: string
  readonly #run: string
  readonly #live: Live
  readonly #lock: Lock
  #file: NamedFile
  #roomBytes = roomBytes

  constructor(path: string, run: string, file: NamedFile, live: Live, lock: Lock) {
    this.#path = path
    this.#run = run
    this.#file = file
    this.#live = live
    this.#lock = lock
  }

  async appendFile(text: string): Promise<void> {
    this.#roomBytes -= text.length
    if (this.#roomBytes >= 0) return this.#file.appendFile(text)
    const lines = this.#live() // those of the text are among them, or over
    const outgrown = this.#file
    this.#file = await writtenAnew(this.#path, this.#run, lines, this.#lock)
    this.#roomBytes = roomBytes + lines.reduce((sum, line) => sum + line.length, 0)
    await outgrown.close()
  }

  /** A call may go out only if whoever takes the lock from now on will read of it. */
  async datasync(): Promise<void> {
    await this.#file.datasync().catch(error => throwFirst(this.#lock, error))
    this.#lock.check()
  }

  close(): Promise<void> {
    return this.#file.close()
  }
}

/** Whose lock is gone meets the files of the run that took it: that is what went wrong, whatever came of it. */
function throwFirst(lock: Lock, error: unknown): never {
  lock.check()
  throw error
}

/**
 * Puts a whole new file in the place of the one of that name, unless that is another run's by now. What is not whole yet has a
 * name of this run's own: one that was asleep while another took the lock over must not write into that one's file.
 */
async function writtenAnew(
  path: string,
  run: string,
  lines: readonly string[],
  lock: Lock,
): Promise<NamedFile> {
  lock.check()
  const unfinished = `${path}.${run}.new`
  let file: NamedFile | undefined
  try {
    file = await NamedFile.open(unfinished, 'wx')
    await file.appendFile(`${lines.join('\n')}\n`)
    await file.datasync()
    lock.check()
    await file.renameTo(path)
    return file
  } catch (error) {
    await file?.close()
    rmSync(unfinished, { force: true })
    return throwFirst(lock, error)
  }
}

/** Removes what runs left behind that were killed, or lost the lock, while they wrote the file anew. */
function removeUnfinished(path: string, lock: Lock): void {
  const prefix = `${basename(path)}.`
  const names = readdirSync(dirname(path)).filter(name => name.startsWith(prefix) && name.endsWith('.new'))
  lock.check()
  for (const name of names) rmSync(join(dirname(path), name), { force: true })
}
