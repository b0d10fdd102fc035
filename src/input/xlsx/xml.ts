import { SaxesParser } from 'saxes'
import { SourceError, type WorkbookFault } from '../../model/errors.ts'
import { decode } from '../decode.ts'
import { maxRowBytes } from '../source.ts'

/** A file in the archive of a workbook. */
export interface Part {
  readonly source: string
  readonly name: string
  bytes(): AsyncGenerator<Buffer>
}

export type Attributes = Readonly<Record<string, string>>

/** Is told what a part holds. Names of elements are without the prefix of the root's, and others keep theirs. */
export interface PartReader {
  /** What follows is only unpacked, for its checksum. */
  isAtEnd?: boolean
  open(name: string, attributes: Attributes): void
  text?(text: string): void
  close?(name: string): void
}

const mostLevels = 100
const mostPartBytes = 20_000_000
const mostBytes: Readonly<Record<string, number>> = { row: maxRowBytes, si: 250_000 }
/** A sheet's shortest row can be a long one: of few of them at a time, the cells are held. */
const stepLength = 2_048

/**
 * Reads a part in steps. Nothing is held of it but the element that is open: each row may take 10 MB, each text 250 kB,
 * and a part without a `unit` 20 MB. Throws a SourceError where it is no XML, or has a document type, which could hold entities.
 */
export async function* readXml(part: Part, reader: PartReader, unit?: string): AsyncGenerator<void> {
  let bytesSinceUnit = 0
  let levels = 0
  let prefix: string | undefined
  const localOf = (name: string) => (name.startsWith(prefix ?? '') ? name.slice(prefix?.length) : name)
  const parser = new SaxesParser()
  parser.on('doctype', () => {
    throw badPart(part, 'doctype')
  })
  parser.on('opentag', ({ name, attributes }) => {
    prefix ??= name.slice(0, name.indexOf(':') + 1) // namespaces cost a third of the time
    levels += 1
    if (levels > mostLevels) throw badPart(part, 'deep')
    reader.open(localOf(name), attributes)
  })
  parser.on('closetag', ({ name }) => {
    levels -= 1
    const local = localOf(name)
    if (local === unit) bytesSinceUnit = 0
    reader.close?.(local)
  })
  for (const kind of ['text', 'cdata'] as const) parser.on(kind, text => reader.text?.(text))
  try {
    for await (const bytes of decode(part.bytes(), {}, part.source)) {
      const text = bytes.toString()
      for (let at = 0; at < text.length && !reader.isAtEnd; at += stepLength) {
        const step = text.slice(at, at + stepLength)
        bytesSinceUnit += step.length
        parser.write(step)
        if (bytesSinceUnit > (mostBytes[unit ?? ''] ?? mostPartBytes)) throw badPart(part, 'long')
        yield
      }
    }
    if (!reader.isAtEnd) parser.close()
  } catch (error) {
    if (error instanceof SourceError && error.code !== 'bad_bytes') throw error
    throw badPart(part, 'xml', error instanceof SourceError ? 'not UTF-8' : (error as Error).message)
  }
}

export async function readWhole(part: Part, reader: PartReader): Promise<void> {
  for await (const _ of readXml(part, reader));
}

export const badPart = (
  { source, name: part }: Pick<Part, 'source' | 'name'>,
  fault: WorkbookFault,
  reason?: string,
) => new SourceError('bad_workbook', { source, part, fault, reason })
