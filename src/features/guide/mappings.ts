// The mapping files of the sources: read, changed in one step unless somebody else changed them meanwhile, and changed back.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { ulid } from 'ulid'
import type { CliContext } from '../../cli/context.ts'
import { unpackedName } from '../../input/source.ts'
import { reasonOf } from '../../model/errors.ts'
import { replaceFile } from '../../platform/replace-file.ts'
import { recordTypes } from '../../records/record-types.ts'
import { resolveLink } from '../../store/files/result-log.ts'
import { stepName } from '../draft/files/migration.ts'
import { CallError } from './server.ts'

/** A mapping as it was read: its text with `\n` at the ends of lines and without a byte-order mark, and the version of its bytes. */
export type MappingText = Readonly<Record<'version' | 'text', string>>

const mark = '\ufeff'
const secondMark = new RegExp(`:(${recordTypes.join('|')})$`)

export class Mappings {
  readonly context: CliContext
  readonly sources: readonly string[]
  readonly #names = new Map<string, string>()
  /** The bytes before each edit, and the version after it; `undo` ends with the process. */
  readonly #done = new Map<string, { readonly before: Buffer; readonly version: string }[]>()

  constructor(context: CliContext, sources: readonly string[]) {
    this.context = context
    this.sources = sources
    const taken = new Set(['plan', 'parents']) // as a plan of these sources has them
    for (const source of sources) this.#names.set(source, stepName(parse(unpackedName(source)).name, taken))
  }

  /** The imports of the page: each source, and those whose rows become both records once more, as `SOURCE:RECORD`. */
  get imports(): readonly string[] {
    return this.sources.flatMap(source => [source, ...this.secondsOf(source)])
  }

  /** The imports of a source beside its first. */
  secondsOf = (source: string): string[] =>
    recordTypes.map(record => `${source}:${record}`).filter(second => existsSync(this.pathOf(second)))

  /** The source of an import. Throws a CallError for a file that is no source of the guide. */
  sourceOf(file: string): string {
    const source = this.#names.has(file) ? file : file.replace(secondMark, '')
    if (!this.#names.has(source)) throw new CallError('outside', `${file} is no source of this page`)
    return source
  }

  /** The name of the mapping beside a source. Throws a CallError for a file that is no source of the guide. */
  nameOf(file: string): string {
    const source = this.sourceOf(file)
    const [, record] = source === file ? [] : (secondMark.exec(file) ?? [])
    return `${this.#names.get(source)}${record === undefined ? '' : `.as-${record}s`}.yaml`
  }

  pathOf(source: string): string {
    return this.inFolder(this.nameOf(source))
  }

  sourcePath(file: string): string {
    return this.inFolder(this.sourceOf(file))
  }

  inFolder(...names: readonly string[]): string {
    return join(this.context.cwd ?? '.', ...names)
  }

  /** Throws a CallError if it cannot be read. */
  async read(source: string) {
    const bytes = await readFile(this.pathOf(source)).catch(error => {
      throw new CallError('bad_call', `${this.nameOf(source)} cannot be read: ${reasonOf(error)}`)
    })
    return { version: versionOf(bytes), text: plainText(bytes), bytes }
  }

  /** The text, with the numbers of the lines that the last edit changed. */
  async view(source: string) {
    const { version, text } = await this.read(source)
    const last = this.#done.get(source)?.at(-1)
    const changed = last?.version === version ? changedLines(plainText(last.before), text) : []
    return { name: this.nameOf(source), version, text, changed }
  }

  /** Replaces the text. Throws a CallError of `conflict` if the file has another version than the one that was seen. */
  async edit(source: string, seen: string, change: (text: string) => string | Promise<string>) {
    const { version, text, bytes: before } = await this.read(source)
    if (version !== seen) throw this.#conflict(source)
    const changed = await change(text)
    if (changed === text) return { version }
    const bytes = writtenLike(before.toString(), changed)
    await this.#write(source, version, bytes)
    const now = versionOf(bytes)
    this.#done.set(source, [...(this.#done.get(source) ?? []), { before, version: now }])
    return { version: now }
  }

  /** Whether the last edit of this page is the last one. */
  canUndo(source: string, version: string): boolean {
    return this.#done.get(source)?.at(-1)?.version === version
  }

  /** Puts back the bytes of before the last edit. Throws a CallError if there is none, or the file was edited elsewhere since. */
  async undo(source: string, seen: string) {
    const done = this.#done.get(source) ?? []
    const last = done.at(-1)
    if (last === undefined) throw new CallError('bad_call', 'there is no edit to undo')
    if (last.version !== seen) throw this.#conflict(source)
    await this.#write(source, seen, last.before)
    this.#done.set(source, done.slice(0, -1))
    return { version: versionOf(last.before) }
  }

  async #write(source: string, version: string, bytes: Buffer): Promise<void> {
    const path = await resolveLink(this.pathOf(source))
    const check = () => {
      if (versionOf(readFileSync(path)) !== version) throw this.#conflict(source)
    }
    const mode = statSync(path).mode & 0o777
    await (await replaceFile(path, [bytes.toString()], { id: ulid(), mode, check })).close()
  }

  #conflict(source: string): CallError {
    return new CallError('conflict', `${this.nameOf(source)} was changed elsewhere; nothing was written`)
  }
}

const plainText = (bytes: Buffer) => bytes.toString().replace(mark, '').replaceAll('\r\n', '\n')
const versionOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

/** Changes when a file does; undefined if there is none. */
export async function stampOf(path: string): Promise<string | undefined> {
  const file = await stat(path).catch(() => undefined)
  return file && [file.ino, file.size, file.mtimeMs, file.ctimeMs].join(' ')
}

/** The new text with the byte-order mark and the ends of lines of the old one. */
function writtenLike(old: string, text: string): Buffer {
  const own = text.replace(mark, '').replaceAll('\r\n', '\n')
  const lines = old.includes('\r\n') ? own.replaceAll('\n', '\r\n') : own
  return Buffer.from(old.startsWith(mark) ? mark + lines : lines)
}

/** Numbers of the lines that the text before does not have. */
export function changedLines(before: string, now: string): number[] {
  const old = new Set(before.split('\n'))
  return now.split('\n').flatMap((line, at) => (old.has(line) ? [] : [at + 1]))
}
