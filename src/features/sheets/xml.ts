import { SaxesParser } from 'saxes'
import { decode } from '../../input/decode.ts'
import { maxRowBytes } from '../../input/source.ts'
import { SourceError, type SourceProblems } from '../../model/errors.ts'

/** A file in the archive of a workbook. */
export interface WorkbookPart {
  readonly source: string
  readonly name: string
  bytes(): AsyncGenerator<Buffer>
}

export type Attributes = Readonly<Record<string, string>>

/** Gets what a part holds. Names of elements are without the prefix of the root's, and others keep theirs. */
export interface PartReader {
  /** The rest is only unpacked, for its checksum. */
  isAtEnd?: boolean
  open?(name: string, attributes: Attributes): void
  /** `text` is that of the element, after the last one in it. */
  close?(name: string, text: string): void
}

const mostLevels = 100
const mostPartBytes = 20_000_000
const mostBytes: Readonly<Record<string, number>> = { row: maxRowBytes, si: 250_000 }
/** Characters of a step: few rows are held at a time, though a short row of XML can have many cells. */
const stepLength = 2_048

/**
 * Reads a part in steps, without how texts are pronounced. Nothing is held of it but the element that is open: each row may
 * take 10 MB, each text 250 kB, and a part without a `unit` 20 MB. Throws a SourceError if it is no XML, or has a document type, which could hold entities.
 */
export async function* readXml(part: WorkbookPart, reader: PartReader, unit?: string): AsyncGenerator<void> {
  let bytesSinceUnit = 0
  let levels = 0
  let text = ''
  let isPhonetic = false
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
    text = ''
    if (localOf(name) === 'rPh') isPhonetic = true
    if (!isPhonetic) reader.open?.(localOf(name), attributes)
  })
  parser.on('closetag', ({ name }) => {
    levels -= 1
    const local = localOf(name)
    if (local === unit) bytesSinceUnit = 0
    if (!isPhonetic) reader.close?.(local, text)
    if (local === 'rPh') isPhonetic = false
    text = ''
  })
  for (const kind of ['text', 'cdata'] as const)
    parser.on(kind, more => {
      text += more
    })
  try {
    for await (const bytes of decode(part.bytes(), {}, part.source)) {
      const xml = bytes.toString()
      for (let at = 0; at < xml.length && !reader.isAtEnd; at += stepLength) {
        const step = xml.slice(at, at + stepLength)
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

export async function readWhole(part: WorkbookPart, reader: PartReader, unit?: string): Promise<void> {
  for await (const _ of readXml(part, reader, unit));
}

export const badPart = (
  { source, name: part }: Pick<WorkbookPart, 'source' | 'name'>,
  fault: SourceProblems['bad_workbook']['fault'],
  reason?: string,
) => new SourceError('bad_workbook', { source, part, fault, reason })

/** Characters that XML cannot hold are written as `_x000D_`, and such a text itself as `_x005F_x000D_`. Lines end in LF. */
export function xmlText(text: string): string {
  const whole = text.includes('_x')
    ? text.replace(escapes, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    : text
  return whole.includes('\r') && whole.includes('\n') ? whole.replaceAll(/\r\n?|\n\r/g, '\n') : whole
}

const escapes = /_x(00[01][\da-fA-F]|005[fF]|[dD][89a-fA-F][\da-fA-F]{2}|[fF]{3}[eEfF])_/g
