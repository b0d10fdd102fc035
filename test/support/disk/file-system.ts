import { File, Folder, statsOf } from './disk.ts'
import type { Process } from './machine.ts'

// What src/store/files uses of node:fs, on the disk of the model, for one process of it.

/** An error without its stack, which costs more than all the rest here. */
const failure = (code: string, path: string): Error =>
  Object.assign(Object.create(Error.prototype), { code, message: `${code}: ${path}` })

/** Those of node:path are slower, and each call here begins with them. */
const dirname = (path: string) => path.slice(0, path.lastIndexOf('/')) || '/'
const basename = (path: string) => path.slice(path.lastIndexOf('/') + 1)

/** One of so many syncs fails. */
const syncsForFailure = 80

type Flags = 'a' | 'wx' | 'r' | 'r+' | 'w'

export function fileSystemOf(process: Process) {
  const { machine } = process
  const folderOf = (path: string): Folder => {
    const folder = find(dirname(path))
    if (folder === undefined) throw failure('ENOENT', path)
    if (folder instanceof File) throw failure('ENOTDIR', path)
    return folder
  }
  const find = (path: string): File | Folder | undefined => {
    if (path === '/') return machine.root
    const folder = find(dirname(path))
    if (folder instanceof File) throw failure('ENOTDIR', path)
    return folder?.names.get(basename(path))
  }
  const entryAt = (path: string): File | Folder => {
    const entry = find(path)
    if (entry === undefined) throw failure('ENOENT', path)
    return entry
  }
  const fileAt = (path: string): File => {
    const entry = entryAt(path)
    if (entry instanceof Folder) throw failure('EISDIR', path)
    return entry
  }
  const change = (folder: Folder, action: (names: Folder['names']) => void) => {
    folder.change(action)
    folder.mtimeMs = machine.nowMs
  }
  const add = <T extends File | Folder>(path: string, entry: T): T => {
    change(folderOf(path), names => void names.set(basename(path), entry))
    return entry
  }
  const write = (file: File, bytes: Buffer) => {
    file.bytes = bytes
    file.mtimeMs = machine.nowMs
  }
  const opened = (path: string, flags: Flags): File | Folder => {
    const entry = find(path)
    if (entry !== undefined && flags === 'wx') throw failure('EEXIST', path)
    if (entry instanceof Folder && flags !== 'r') throw failure('EISDIR', path)
    if (entry === undefined && flags.startsWith('r')) throw failure('ENOENT', path)
    const file = entry ?? add(path, new File())
    if (file instanceof File && flags === 'w') write(file, Buffer.alloc(0))
    return file
  }
  const remove = (path: string) => change(folderOf(path), names => void names.delete(basename(path)))

  /** As proc_pid_stat(5) has it: who is dead is what the lock asks. */
  const systemFile = (path: string): string | undefined => {
    const [, , pid = '', name] = path.split('/')
    if (!path.startsWith('/proc/') || name !== 'stat') return undefined
    if (!machine.processes[Number(pid) - 1]?.isAlive) throw failure('ENOENT', path)
    return `${pid} (rowlift) S${' 0'.repeat(16)} 1 0 ${pid} 0`
  }

  /** A sync of a file may fail. */
  const endSync = (entry: File | Folder, done: () => void) => {
    if (entry instanceof Folder || machine.chance.below(syncsForFailure) !== 1) return done()
    entry.failSync()
    process.hadFailedSync = true
    throw failure('EIO', '')
  }

  /** An open file, or a folder that is to be synced. */
  const handleOf = (entry: File | Folder) => {
    const append = (bytes: Uint8Array) => {
      if (entry instanceof File) entry.append(bytes)
    }
    const sync = () => {
      const done = entry.sync()
      return process.io(
        () => endSync(entry, done),
        () => {},
      )
    }
    return {
      fd: entry,
      stat: () => process.io(() => statsOf(entry)),
      appendFile(content: string | Uint8Array) {
        const bytes = typeof content === 'string' ? Buffer.from(content) : content
        return process.io(
          () => append(bytes),
          () => append(bytes.subarray(0, machine.chance.below(bytes.length + 1))),
        )
      },
      datasync: sync,
      sync,
      close: () => process.io(() => {}),
    }
  }

  const sync = {
    statSync: (path: string, options?: { throwIfNoEntry?: boolean }) => {
      const entry = options?.throwIfNoEntry === false ? find(path) : entryAt(path)
      return entry && statsOf(entry)
    },
    lstatSync: (path: string) => statsOf(entryAt(path)),
    fstatSync: (fd: File | Folder) => statsOf(fd),
    fdatasyncSync: (fd: File) => endSync(fd, fd.sync()),
    openSync: (path: string, flags: Flags) => opened(path, flags),
    closeSync() {},
    readSync: (fd: File, buffer: Buffer, offset: number, length: number, position: number) =>
      fd.bytes.copy(buffer, offset, position, position + length),
    writeSync(
      fd: File,
      bytes: Uint8Array,
      from = 0,
      length = bytes.length - from,
      position?: number,
    ): number {
      if (position === undefined) fd.append(bytes.subarray(from, from + length))
      else {
        fd.overwrite(bytes.subarray(from, from + length), position)
        fd.mtimeMs = machine.nowMs
      }
      return length
    },
    existsSync: (path: string) => find(path) !== undefined,
    readFileSync: (path: string) => systemFile(path) ?? fileAt(path).bytes.toString(),
    readdirSync: (path: string) => {
      const folder = entryAt(path)
      if (folder instanceof File) throw failure('ENOTDIR', path)
      return [...folder.names.keys()]
    },
    renameSync(from: string, to: string) {
      const [entry, there] = [entryAt(from), find(to)]
      if (there instanceof Folder && there.names.size > 0) throw failure('ENOTEMPTY', to)
      const isMove = dirname(from) !== dirname(to)
      if (isMove) throw failure('EXDEV', to) // nothing here moves a file to another folder
      change(folderOf(to), names => {
        names.delete(basename(from))
        names.set(basename(to), entry)
      })
    },
    rmSync(path: string, { force = false, recursive = false } = {}) {
      const entry = find(path)
      if (entry === undefined && force) return
      if (entry instanceof Folder && !recursive) throw failure('ERR_FS_EISDIR', path)
      entryAt(path)
      remove(path)
    },
    rmdirSync(path: string) {
      const entry = entryAt(path)
      if (entry instanceof Folder && entry.names.size > 0) throw failure('ENOTEMPTY', path)
      remove(path)
    },
    mkdirSync(path: string) {
      if (find(path) !== undefined) throw failure('EEXIST', path)
      add(path, new Folder())
    },
    writeFileSync(path: string, text: string, { flag = 'w' as Flags } = {}) {
      const file = opened(path, flag) as File
      const bytes = Buffer.from(text)
      write(file, Buffer.concat([bytes, file.bytes.subarray(bytes.length)])) // only locks, which nobody syncs
    },
    truncateSync(path: string, length = 0) {
      const file = fileAt(path)
      write(file, Buffer.from(file.bytes.subarray(0, length)))
    },
    utimesSync(path: string, _: Date, time: Date) {
      entryAt(path).mtimeMs = time.getTime()
    },
    chownSync() {},
    async *createReadStream(path: string) {
      const bytes = await process.io(() => fileAt(path).bytes)
      const middle = machine.chance.below(bytes.length + 1)
      for (const part of [bytes.subarray(0, middle), bytes.subarray(middle)]) if (part.length > 0) yield part
    },
  }

  const promises = {
    open: (path: string, flags: Flags) => process.io(() => handleOf(opened(path, flags))),
    stat: (path: string) => process.io(() => statsOf(entryAt(path))),
    lstat: (path: string) => process.io(() => statsOf(entryAt(path))),
    readdir: (path: string) => process.io(() => sync.readdirSync(path)),
    rm: (path: string, options: object) => process.io(() => sync.rmSync(path, options)),
  }
  return { sync, promises }
}
