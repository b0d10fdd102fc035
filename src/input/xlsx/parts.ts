import { posix } from 'node:path'
import type { ZipEntry, ZipFile } from '../packed/zip.ts'
import { type Attributes, type Part, readWhole } from './xml.ts'

/** A part that another one refers to. */
interface Relationship {
  readonly id: string
  /** The last word of its type, which transitional and strict workbooks share. */
  readonly type: string
  readonly path: string
}

/** Finds the parts of a workbook by what refers to them: no name of a part is certain. */
export class Parts {
  readonly #source: string
  readonly #zip: ZipFile
  readonly #entries: ReadonlyMap<string, ZipEntry>

  constructor(source: string, zip: ZipFile) {
    this.#source = source
    this.#zip = zip
    this.#entries = new Map(zip.entries.map(entry => [pathOf('/', entry.name), entry]))
  }

  at(path = ''): Part | undefined {
    const entry = this.#entries.get(path)
    return entry && { source: this.#source, name: entry.name, bytes: () => this.#zip.read(entry) }
  }

  /** Of the part at a path, or of the workbook as a whole. Throws a SourceError. */
  async relationshipsOf(path = '/'): Promise<readonly Relationship[]> {
    const folder = posix.dirname(path)
    const found: Relationship[] = []
    const part = this.at(posix.join(folder, '_rels', `${posix.basename(path)}.rels`))
    const open = (name: string, { Id, Type, Target }: Attributes) => {
      if (name !== 'Relationship') return
      const type = posix.basename(Type ?? '')
      found.push({ id: Id ?? '', type, path: pathOf(folder, Target ?? '') })
    }
    if (part) await readWhole(part, { open })
    return found
  }
}

/** Case does not matter, and some programs write backslashes. */
const pathOf = (folder: string, target: string) =>
  posix.resolve('/', folder, target.replaceAll('\\', '/')).toLowerCase()
