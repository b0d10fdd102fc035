import { unseal } from '../../../src/store/files/checksum.ts'
import { intentLogPath } from '../../../src/store/files/whole-lines.ts'
import { File, fileOf, sectorBytes } from './disk.ts'
import type { Machine } from './machine.ts'
import { log } from './sessions.ts'

// What the world does to the two files while no run holds the log, and what the files can tell of it. It knows every state that they had.

export type Name = 'log' | 'intents'

/** One change of a file. Numbers count in thousandths of the file, or of its states. */
export interface Change {
  readonly file: Name
  readonly move: 'earlier' | 'cut' | 'cut at a line' | 'zero' | 'remove lines' | 'remove'
  readonly at: number
  /** The number of bytes to zero; a sector is zeroed as a whole. */
  readonly length: number
  /** The file stays the same one, so that a process that has it open writes there. */
  readonly isInPlace: boolean
}

const paths = { log, intents: intentLogPath(log) }
const names = ['log', 'intents'] as const
type Texts = Readonly<Record<Name, Buffer | undefined>>

/** A line of either file, as far as it matters here. */
interface Line {
  readonly run: string
  readonly writer?: string
  readonly rowlift?: string
  readonly ended?: object
  readonly generation?: number
  readonly intents?: readonly number[]
  readonly log?: readonly number[]
  readonly chain: string
  readonly crc32: string
}

/** The states of the two files so far, and the changes that no run has read yet. */
export class Past {
  readonly #machine: Machine
  readonly #states: Record<Name, (Buffer | undefined)[]> = { log: [undefined], intents: [undefined] }
  readonly #changed = new Set<Name>()
  /** The files before the first change. */
  #right: Texts | undefined
  /** The files when a run refused them. */
  #refused: Texts | undefined
  /** The world has changed something at some time. */
  isChanged = false

  constructor(machine: Machine) {
    this.#machine = machine
  }

  /** Notes the states of the files. What the world made of them is none that they had. */
  note(): void {
    if (this.#right !== undefined || this.#refused !== undefined) return
    for (const name of names) {
      const [states, now] = [this.#states[name], this.#read(name)]
      if (states.at(-1) !== now) states.push(now)
    }
  }

  /** Changes a file. */
  change({ file, isInPlace, ...how }: Change): void {
    this.note()
    this.isChanged = true
    this.#right ??= this.#now()
    this.#changed.add(file)
    this.#write(file, changed(this.#read(file), this.#states[file], how), isInPlace)
  }

  /** A run did not take the files. */
  refuse(): void {
    this.#refused = this.#now()
  }

  get canPutBack(): boolean {
    return this.#right !== undefined
  }

  /** Puts the files back that were there before the first change. */
  putBack(): void {
    for (const name of names) this.#write(name, this.#right?.[name], true)
    this.accept()
  }

  /** A run has taken the files, and goes on from them. */
  accept(): void {
    this.#right = undefined
    this.#refused = undefined
    this.#changed.clear()
  }

  /**
   * Checks whether the files cannot tell that something is missing: both are beginnings of what they were, and neither lacks what the
   * other one names; or the log ends with a closing line, or is empty, and there are no intents.
   */
  mayForget(): boolean {
    if (this.#right === undefined && this.#refused === undefined) return false
    return this.#fit(this.#now(), false) || (this.#refused !== undefined && this.#fit(this.#refused, true))
  }

  /** A repair undoes damage, but does not see that the end is missing. */
  #fit(texts: Texts, isRepaired: boolean): boolean {
    const written = beginning(texts.log, this.#states.log, isRepaired)
    const intents = beginning(texts.intents, this.#states.intents, false)
    if (written === undefined || intents === undefined) return false
    const last = written.findLast(({ rowlift }) => rowlift !== undefined)?.run
    const isClosed = last === undefined || written.some(({ run, ended }) => ended && run === last)
    const [first] = intents
    if (first === undefined) return isClosed
    const own = written.filter(({ run, writer = run }) => writer === first.run)
    const isNext = own.length === 0
    if (!isNext && isClosed) return true
    if (!this.#changed.has('intents')) return false // they show every call that the log lacks
    if (isNext)
      return (
        intents.every(line => line.log === undefined) && [none, ...written.map(seal)].includes(first.chain)
      )
    if (last !== first.run) return false
    const [lines = 0, crc] = intents.findLast(line => line.log)?.log ?? []
    const [generation = 0, calls = 0, call] = own.findLast(line => line.intents)?.intents ?? []
    const current = first.generation ?? 0
    return (
      (lines === 0 || seal(own[lines - 1]) === hex(crc)) &&
      (generation < current || (generation === current && seal(intents[calls - 1]) === hex(call)))
    )
  }

  #now = (): Texts => ({ log: this.#read('log'), intents: this.#read('intents') })

  #read(name: Name): Buffer | undefined {
    const file = this.#machine.root.names.get(paths[name].slice(1))
    return file instanceof File ? file.bytes : undefined
  }

  #write(name: Name, bytes: Buffer | undefined, isInPlace: boolean): void {
    const { root, nowMs } = this.#machine
    const path = paths[name].slice(1)
    const file = root.names.get(path)
    if (bytes !== undefined && isInPlace && file instanceof File) file.replace(bytes)
    else {
      const other = bytes && fileOf(bytes)
      root.change(all => void (other ? all.set(path, other) : all.delete(path)))
    }
    root.sync()()
    const now = root.names.get(path)
    if (now !== undefined) now.mtimeMs = nowMs
  }
}

const none = '00000000'
const hex = (crc: number | undefined) => crc?.toString(16).padStart(8, '0')
const seal = (line: Line | undefined) => line?.crc32

/** The file after a change. */
function changed(
  bytes: Buffer | undefined,
  states: readonly (Buffer | undefined)[],
  { move, at, length }: Omit<Change, 'file' | 'isInPlace'>,
): Buffer | undefined {
  if (move === 'remove') return undefined
  if (move === 'earlier') return states[part(at, states.length)]
  if (bytes === undefined) return undefined
  const lines = linesOf(bytes)
  switch (move) {
    case 'cut':
      return bytes.subarray(0, part(at, bytes.length))
    case 'cut at a line':
      return Buffer.concat(lines.slice(0, part(at, lines.length)))
    case 'remove lines':
      lines.splice(part(at, lines.length), length === 2 ? 2 : 1)
      return Buffer.concat(lines)
    case 'zero': {
      const anywhere = part(at, bytes.length)
      const start = length === sectorBytes ? anywhere - (anywhere % sectorBytes) : anywhere
      return Buffer.from(bytes).fill(0, start, Math.min(bytes.length, start + length))
    }
  }
}

const part = (thousandths: number, of: number) => Math.floor((thousandths * of) / 1000)

/** The lines of a file with their ends. */
function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = []
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(10, from)
    const to = end === -1 ? bytes.length : end + 1
    lines.push(bytes.subarray(from, to))
    from = to
  }
  return lines
}

/**
 * The lines of a file that are the beginning of one of its states, up to the last one that is of it if damage before that is undone.
 * Undefined if more follows, and that shows that something was there.
 */
function beginning(
  bytes: Buffer | undefined,
  states: readonly (Buffer | undefined)[],
  isRepaired: boolean,
): readonly Line[] | undefined {
  const texts = textsOf(bytes)
  let best: { readonly length: number; readonly lines: readonly string[] } = { length: 0, lines: [] }
  const known = new Set<string>()
  for (const state of new Set(states)) {
    const lines = wholeTextsOf(state)
    for (const line of lines) known.add(line)
    const differs = texts.findIndex((text, at) => text !== lines[at])
    const same = differs === -1 ? texts.length : differs
    const last = lines.lastIndexOf(texts.findLast(text => lines.includes(text)) ?? '') + 1
    const length = isRepaired ? last : same
    if (length > best.length) best = { length, lines }
  }
  const rest = isRepaired ? [] : texts.slice(best.length)
  if (rest.some(text => known.has(text) && /"rowlift":|"log":\[|"intents":\[/.test(text))) return undefined
  return best.lines.slice(0, best.length).map(text => JSON.parse(text) as Line)
}

/** The whole lines up to the first text that is none: a power cut may have left that. */
function wholeTextsOf(bytes: Buffer | undefined): string[] {
  const texts = textsOf(bytes)
  const torn = texts.findIndex(text => unseal(Buffer.from(text)) === undefined)
  return torn === -1 ? texts : texts.slice(0, torn)
}

function textsOf(bytes: Buffer | undefined): string[] {
  const texts = String(bytes ?? '').split('\n')
  if (texts.at(-1) === '') texts.pop()
  return texts
}
