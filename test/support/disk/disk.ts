// A disk, and what a power cut leaves of it. What was synced stays. Of the rest each sector and each name is as it was at some moment
// since the last sync, whatever its neighbours are: the system writes back in any order, and not all of it.

/** Written as a whole or not at all. */
export const sectorBytes = 512

/** Says what happens where nobody can know it. */
export interface Chance {
  /** A whole number below another. Of the versions of a sector, 0 is the one that was synced. */
  below(limit: number): number
  /** Whether a name that was not synced is on the disk. */
  keepsName(): boolean
}

let lastIno = 0

export class File {
  readonly ino = ++lastIno
  mtimeMs = 0
  /** The text of the disk, then each since, up to what a process reads now. */
  #versions: readonly Buffer[] = [Buffer.alloc(0)]
  #room = { bytes: Buffer.alloc(0), used: 0 }
  /** The sectors that a failed sync dropped, and what the disk has there: later syncs leave them out until they are written again. */
  #dropped: ReadonlyMap<number, Buffer> = new Map()

  get bytes(): Buffer {
    return this.#versions.at(-1) as Buffer
  }

  set bytes(bytes: Buffer) {
    this.#versions = [...this.#versions, bytes]
  }

  /** Versions share their bytes: most files only grow. */
  append(more: Uint8Array): void {
    const { length } = this.bytes
    this.#writes(length, length + more.length)
    if (this.#room.used !== length || this.#room.bytes.length < length + more.length) {
      this.#room = { bytes: Buffer.alloc(Math.max(4096, 2 * (length + more.length))), used: length }
      this.bytes.copy(this.#room.bytes)
    }
    this.#room.bytes.set(more, length)
    this.#room.used += more.length
    this.bytes = this.#room.bytes.subarray(0, this.#room.used)
  }

  /** Puts another text there, and on the disk. */
  replace(bytes: Buffer): void {
    this.#dropped = new Map()
    this.#room = { bytes: Buffer.alloc(0), used: 0 }
    this.#versions = [Buffer.from(bytes)]
  }

  /** Writes bytes in their place. */
  overwrite(bytes: Uint8Array, position: number): void {
    this.#writes(position, position + bytes.length)
    const copy = Buffer.from(this.bytes)
    copy.set(bytes, position)
    this.bytes = copy
  }

  #writes(start: number, end: number): void {
    if (this.#dropped.size > 0)
      this.#dropped = new Map([...this.#dropped].filter(([at]) => at + sectorBytes <= start || at >= end))
  }

  /** Begins a sync; call what it returns when it is done. It keeps what was written before it began. */
  sync(): () => void {
    const { bytes } = this
    const dropped = this.#dropped
    return () => {
      const kept = this.#versions.slice(Math.max(0, this.#versions.indexOf(bytes)))
      if (dropped.size > 0) kept.unshift(without(dropped, kept.shift() as Buffer))
      this.#versions = kept
    }
  }

  /** Drops what was not synced: processes still read it, but no later sync writes it. */
  failSync(): void {
    const [onDisk = Buffer.alloc(0)] = this.#versions
    const dropped = new Map(this.#dropped)
    for (let at = 0; at < this.bytes.length; at += sectorBytes) {
      const sector = onDisk.subarray(at, at + sectorBytes)
      if (!sector.equals(this.bytes.subarray(at, at + sectorBytes))) dropped.set(at, sector)
    }
    this.#dropped = dropped
  }

  afterPowerCut(chance: Chance): File {
    const pick = () => this.#versions[chance.below(this.#versions.length)] as Buffer
    const bytes = Buffer.alloc(pick().length)
    for (let at = 0; at < bytes.length; at += sectorBytes)
      pick()
        .subarray(at, at + sectorBytes)
        .copy(bytes, at)
    const left = new File()
    left.#versions = [bytes]
    return left
  }
}

/** What the disk has of a text. */
function without(dropped: ReadonlyMap<number, Buffer>, bytes: Buffer): Buffer {
  const left = Buffer.from(bytes)
  for (const [at, sector] of dropped) {
    if (at >= left.length) continue
    left.fill(0, at, Math.min(left.length, at + sectorBytes))
    sector.copy(left, at)
  }
  return left
}

type Names = Map<string, File | Folder>
type Change = (names: Names) => void

/** A file that is on the disk as it is. */
export function fileOf(bytes: Buffer): File {
  const file = new File()
  file.replace(bytes)
  return file
}

export class Folder {
  readonly ino = ++lastIno
  mtimeMs = 0
  readonly names: Names = new Map()
  #synced: Names = new Map()
  #changes: readonly Change[] = []

  /** Changes names in one step: all of it reaches the disk, or nothing. */
  change(change: Change): void {
    change(this.names)
    this.#changes = [...this.#changes, change]
  }

  sync(): () => void {
    const changes = this.#changes
    return () => {
      for (const change of changes) if (this.#changes.includes(change)) change(this.#synced)
      this.#changes = this.#changes.filter(change => !changes.includes(change))
    }
  }

  afterPowerCut(chance: Chance): Folder {
    for (const change of this.#changes) if (chance.keepsName()) change(this.#synced)
    const left = new Folder()
    for (const [name, entry] of this.#synced) left.names.set(name, entry.afterPowerCut(chance))
    left.#synced = new Map(left.names)
    return left
  }
}

export const statsOf = (entry: File | Folder) => ({
  ...{ ino: entry.ino, dev: 1, nlink: 1, uid: 0, gid: 0, mtimeMs: entry.mtimeMs },
  size: entry instanceof File ? entry.bytes.length : 0,
  isFile: () => entry instanceof File,
  isDirectory: () => entry instanceof Folder,
  isFIFO: () => false,
  isSymbolicLink: () => false,
})
