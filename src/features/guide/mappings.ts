// The mapping files of the sources: read, changed in one step unless somebody else changed them meanwhile, and changed back.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { ulid } from 'ulid'
import { unpackedName } from '../../input/source.ts'
import { reasonOf } from '../../model/errors.ts'
import { replaceFile } from '../../platform/replace-file.ts'
import { recordTypes } from '../../records/record-types.ts'
import { resolveLink } from '../../store/files/result-log.ts'
import { stepName } from '../draft/files/migration.ts'
import { CallError } from './server.ts'

const mark = '\ufeff'
const secondMark = new RegExp(`:(${recordTypes.join('|')})$`)

export type Mappings = ReturnType<typeof mappingsOf>

/** The mappings of the sources in a folder. What takes the name of a source throws a CallError for any other file. */
export function mappingsOf(folder: string, sources: readonly string[]) {
  const taken = new Set(['plan', 'parents']) // as a plan of these sources has them
  const names = new Map(sources.map(name => [name, stepName(parse(unpackedName(name)).name, taken)]))
  /** The bytes before each edit, and the version after it; `undo` ends with the process. */
  const done = new Map<string, readonly { readonly before: Buffer; readonly version: string }[]>()
  const lastOf = (source: string) => done.get(source)?.at(-1)
  const inFolder = (...names: readonly string[]) => join(folder, ...names)
  const pathOf = (source: string) => inFolder(nameOf(source))

  /** The imports of a source beside its first. */
  const secondsOf = (source: string): string[] =>
    recordTypes.map(record => `${source}:${record}`).filter(second => existsSync(pathOf(second)))

  function sourceOf(file: string): string {
    const source = names.has(file) ? file : String(file).replace(secondMark, '')
    if (!names.has(source)) throw new CallError('outside', `${file} is no source of this page`)
    return source
  }

  /** The name of the mapping beside a source. */
  function nameOf(file: string): string {
    const source = sourceOf(file)
    const [, record] = source === file ? [] : (secondMark.exec(file) ?? [])
    return `${names.get(source)}${record === undefined ? '' : `.as-${record}s`}.yaml`
  }

  const conflict = (source: string) =>
    new CallError('conflict', `${nameOf(source)} was changed elsewhere; nothing was written`)

  /** The text with `\n` at the ends of lines and without a byte-order mark, and the version of its bytes. */
  async function read(source: string) {
    const bytes = await readFile(pathOf(source)).catch(error => {
      throw new CallError('bad_call', `${nameOf(source)} cannot be read: ${reasonOf(error)}`)
    })
    return { version: versionOf(bytes), text: plainText(bytes), bytes }
  }

  async function write(source: string, seen: string, bytes: Buffer) {
    const path = await resolveLink(pathOf(source))
    const check = () => {
      if (versionOf(readFileSync(path)) !== seen) throw conflict(source)
    }
    const mode = statSync(path).mode & 0o777
    await (await replaceFile(path, [bytes.toString()], { id: ulid(), mode, check })).close()
    return { version: versionOf(bytes) }
  }

  return {
    ...{ sources, inFolder, pathOf, secondsOf, sourceOf, nameOf, read },
    sourcePath: (file: string) => inFolder(sourceOf(file)),

    /** The imports of the page: each source, and those whose rows become both records once more, as `SOURCE:RECORD`. */
    get imports(): readonly string[] {
      return sources.flatMap(source => [source, ...secondsOf(source)])
    },

    /** The text, with the numbers of the lines that the last edit changed. */
    async view(source: string) {
      const { version, text } = await read(source)
      const last = lastOf(source)
      const changed = last?.version === version ? changedLines(plainText(last.before), text) : []
      return { name: nameOf(source), version, text, changed }
    },

    /** Replaces the text. Throws a CallError of `conflict` if the file has another version than the one that was seen. */
    async edit(source: string, seen: string, change: (text: string) => string | Promise<string>) {
      const { version, text, bytes: before } = await read(source)
      if (version !== seen) throw conflict(source)
      const changed = await change(text)
      if (changed === text) return { version }
      const now = await write(source, seen, writtenLike(before.toString(), changed))
      done.set(source, [...(done.get(source) ?? []), { before, ...now }])
      return now
    },

    /** Whether the last edit of this page is the last one. */
    canUndo: (source: string, version: string) => lastOf(source)?.version === version,

    /** Puts back the bytes of before the last edit. Throws a CallError if there is none, or the file was edited elsewhere since. */
    async undo(source: string, seen: string) {
      const last = lastOf(source)
      if (last === undefined) throw new CallError('bad_call', 'there is no edit to undo')
      if (last.version !== seen) throw conflict(source)
      const now = await write(source, seen, last.before)
      done.set(source, done.get(source)?.slice(0, -1) ?? [])
      return now
    },
  }
}

const plainText = (bytes: Buffer) => bytes.toString().replace(mark, '').replaceAll('\r\n', '\n')
const versionOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

/** Changes when a file does, undefined if there is none. */
export async function stampOf(path: string): Promise<string | undefined> {
  const file = await stat(path).catch(() => undefined)
  return file && [file.ino, file.size, file.mtimeMs, file.ctimeMs].join(' ')
}

/** The new text with the byte-order mark and the ends of lines of the old one. */
function writtenLike(old: string, text: string): Buffer {
  const own = plainText(Buffer.from(text))
  const lines = old.includes('\r\n') ? own.replaceAll('\n', '\r\n') : own
  return Buffer.from(old.startsWith(mark) ? mark + lines : lines)
}

/** Numbers of the lines that the text before does not have. */
export function changedLines(before: string, now: string): number[] {
  const old = new Set(before.split('\n'))
  return now.split('\n').flatMap((line, at) => (old.has(line) ? [] : [at + 1]))
}
