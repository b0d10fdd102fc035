import type { ArchiveEntry } from './source.ts'

/** Files in an archive. */
export interface Archives {
  /** Finds the file of an archive that a path means, and its whole path. Throws a SourceError. */
  findEntry(path: string, archive: string): Promise<[ArchiveEntry, string]>
  /** Reads the unpacked bytes of an entry. Throws a SourceError. */
  readEntry(
    archive: string,
    entry: ArchiveEntry,
    onRead: (bytes: Buffer) => void,
    signal: AbortSignal,
  ): AsyncGenerator<Buffer>
}

export interface Zstd {
  unpackZstd(raw: AsyncGenerator<Buffer>, source: string): AsyncGenerator<Buffer>
}

/** Unpacks packed files by the ends of their names; filled by `features.ts`, and loaded if a source asks for it. */
export const unpackers = {} as { zip: () => Promise<Archives>; zst: () => Promise<Zstd> }
