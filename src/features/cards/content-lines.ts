import { startingWith } from '../../input/bytes.ts'
import { decode, findMark, joinStart } from '../../input/decode.ts'
import { decoderOf, nothing, Undecodable } from '../../input/decoders.ts'
import { lineBatches, mostValues } from '../../input/ndjson.ts'
import { maxRowBytes, tooLong } from '../../input/source.ts'
import { extendsAscii } from '../../input/utf8-guard.ts'
import { SourceError } from '../../model/errors.ts'
import { isKnownEncoding } from '../../model/package.ts'
import { type Problem, problem } from '../../model/problem.ts'

/** A property of a card (vCard 2.1, RFC 2426, RFC 6350) or of a calendar (RFC 5545). */
export interface ContentLine {
  /** The line of the file on which it starts, from 1. */
  readonly line: number
  readonly group: string | undefined
  /** The name in upper case; empty for a line that is no property, which is then the value. */
  readonly name: string
  /** Parameters by their names in upper case, values as written; one without a name, as in vCard 2.1, is a TYPE. */
  readonly params: Readonly<Record<string, readonly string[]>>
  /** Value without folds, quoted-printable and charset; backslashes stay. */
  readonly value: string
  /** The encoding that its bytes are not in; it has no name then. */
  readonly notIn?: string
}

/** A line takes more memory than its text; so a card or a task has at most 100,000. */
export const bytesOfLine = 100

/** One byte a character: a fold may cut a character in two, and each line may have a charset of its own. */
type Bytes = string

/**
 * Yields a batch for each chunk, without photos and what else is in base64. A line is in its CHARSET, else in the encoding, else in
 * UTF-8. If nobody named the encoding, and no line has shown yet that it is UTF-8, bytes that are not throw a SourceError: the file may be
 * in another one. Else they are a fault of their line. Throws a SourceError at a line over 10 MB.
 */
export async function* contentLines(
  bytes: AsyncIterable<Buffer> | Iterable<Buffer>,
  source: string,
  { encoding }: { readonly encoding?: string | undefined } = {},
): AsyncGenerator<ContentLine[]> {
  const rest = joinStart(bytes)
  const { value: start = nothing } = await rest.next()
  const mark = findMark(start)
  const usual = mark?.encoding ?? encoding ?? 'utf-8'
  let isSure = encoding !== undefined
  const isDecoded = !/^utf-?8$/i.test(usual) && !extendsAscii(usual)
  const hasCharsets = mark === undefined && !isDecoded
  const raw = startingWith(start.subarray(mark?.length ?? 0), rest)
  for await (const batch of unfold(isDecoded ? decode(raw, { encoding: usual }, source) : raw, source))
    yield batch.map(({ line, parts }) => {
      const written = parts.join('')
      const isPrintable = printableHead.test(written)
      const [, charset] = ((isPrintable || hasCharsets) && charsetInHead.exec(written)) || []
      const by = charset !== undefined && isKnownEncoding(charset) ? charset : isDecoded ? 'utf-8' : usual
      const text = decoded(isPrintable ? octetsOf(written) : written, by, charset !== undefined)
      if (text === undefined && !isSure && by !== charset)
        throw new SourceError('bad_bytes', { source, line, encoding: by })
      if (text === undefined) return { ...contentLine(line, ''), value: written, notIn: by }
      isSure ||= by !== charset && /[^\0-\x7f]/.test(text)
      return contentLine(line, text)
    })
}

/** The problem of the first line that is no property, or whose bytes are not in its encoding. */
export function problemOf(lines: readonly ContentLine[]): Problem | undefined {
  const { line, notIn } = lines.find(({ name }) => name === '') ?? {}
  if (line === undefined) return undefined
  return notIn === undefined
    ? problem('not_a_property', { line })
    : problem('line_not_in_encoding', { line, encoding: notIn })
}

/** The lines without a CHARSET, each as the bytes that its encoding has to read. */
export async function* linesOfNoCharset(bytes: AsyncIterable<Buffer> | Iterable<Buffer>, source: string) {
  for await (const batch of unfold(joinStart(bytes), source))
    for (const written of batch.map(({ parts }) => parts.join('')))
      if (!charsetInHead.test(written))
        yield Buffer.from(`${printableHead.test(written) ? octetsOf(written) : written}\n`, 'latin1')
}

const binaryHead =
  /^(?:[\w-]+\.)?(?:(?:PHOTO|LOGO|SOUND|KEY)[;:]|[^:]*;(?:ENCODING="?B(?:ASE64)?"?|BASE64)[;:])/i
const printableHead = /^[^:]*;(?:ENCODING=)?"?QUOTED-PRINTABLE"?[;:]/i
const charsetInHead = /^[^:]*;CHARSET="?([^;:",]+)/i
const longestHead = 1000

interface Unfolded {
  readonly line: number
  readonly parts: Bytes[]
  readonly isBinary: boolean
  length: number
}

/** Joins lines that are folded by a blank at the next one's start, or by the soft breaks of quoted-printable. */
async function* unfold(bytes: AsyncIterable<Buffer>, source: string): AsyncGenerator<Unfolded[]> {
  let open: Unfolded | undefined
  let line = 0
  const isBinary = (text: Bytes) => binaryHead.test(text.slice(0, longestHead))
  const toKeep = (partial: Bytes) =>
    isBinary(partial) || (open?.isBinary && /^[ \t]/.test(partial)) ? partial.slice(0, longestHead) : partial
  const once = withSingleReturns(bytes)
  for await (const texts of lineBatches(once, { source, line: 1, encoding: 'latin1' }, toKeep)) {
    const batch: Unfolded[] = []
    for (const text of texts) {
      line += 1
      if (open !== undefined && continues(open, text)) {
        if (open.length <= maxRowBytes) continue
        throw tooLong(source, open.line)
      }
      if (open?.isBinary === false) batch.push(open)
      const isEmpty = text.trim() === ''
      open = isEmpty ? undefined : { line, parts: [text], isBinary: isBinary(text), length: text.length }
    }
    yield batch
  }
  if (open?.isBinary === false) yield [open]
}

/** The bytes with CRLF for CR CR LF, which programs write that make line ends twice. */
async function* withSingleReturns(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Bytes = ''
  for await (const chunk of bytes) {
    const text = held + chunk.toString('latin1')
    held = /\r+$/.exec(text.slice(-2))?.[0] ?? ''
    yield Buffer.from(text.slice(0, text.length - held.length).replaceAll('\r\r\n', '\r\n'), 'latin1')
  }
  yield Buffer.from(held, 'latin1')
}

const softBreak = /=[ \t]*$/

/** Adds a text to the line that it belongs to, and returns true; else returns false. */
function continues(open: Unfolded, text: Bytes): boolean {
  const { parts, isBinary } = open
  // some write base64 without the blanks; it has neither sign of a property
  if (isBinary) return /^[ \t]|^[^:;]+$/.test(text)
  const last = parts.at(-1) ?? ''
  const isBroken = softBreak.test(last) && printableHead.test(parts.slice(0, 3).join(''))
  const isSoft = isBroken && !/^(?:BEGIN|END):/i.test(text)
  if (isSoft) parts.splice(-1, 1, last.replace(softBreak, ''), text)
  else if (/^[ \t]/.test(text)) parts.push(text.slice(1))
  else return false
  open.length += text.length
  return true
}

const octetsOf = (line: Bytes): Bytes =>
  line.replace(/:.*/s, value =>
    value.replaceAll(/=([0-9A-F]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
  )

/** The text with LF for CRLF, which only quoted-printable can hold. Undefined if the bytes are not in the encoding. */
function decoded(bytes: Bytes, encoding: string, hasCharset: boolean): string | undefined {
  if (!hasCharset && /^[\t -~]*$/.test(bytes)) return bytes
  const decoder = decoderOf(encoding)
  const parts = [decoder.write(Buffer.from(bytes, 'latin1')), decoder.end()]
  return parts.some(part => part instanceof Undecodable) ? undefined : parts.join('').replaceAll('\r\n', '\n')
}

// files that were joined have a byte-order mark between them
const nameAtStart = /^\ufeff?(?:([\w-]+)\.)?([!#-+\--9<-~]+)[ \t]*(?=[;:])/
const param = /(?:;[ \t]*(?:([^=;:",]*)=)?|,)[ \t]*(?:"([^"]*)"[ \t]*(?=[,;:])|([^,;:]*))/gy
const bareEncoding = /^(?:QUOTED-PRINTABLE|[78]BIT)$/i
/** RFC 6868 */
const carets: Readonly<Record<string, string>> = { '^n': '\n', "^'": '"', '^^': '^' }

function contentLine(line: number, text: string): ContentLine {
  const [start, group, name] = nameAtStart.exec(text) ?? ['']
  const params: Record<string, string[]> = {}
  let [end, key] = [start.length, '']
  param.lastIndex = end
  for (const [match, named, quoted, plain = ''] of text.matchAll(param)) {
    const value = quoted ?? plain.trim()
    const bare = bareEncoding.test(value) ? 'ENCODING' : 'TYPE'
    if (match.startsWith(';')) key = named?.trim().toUpperCase() ?? bare
    params[key] ??= []
    if (value !== '') params[key]?.push(value.replaceAll(/\^[n'^]/g, sign => carets[sign] ?? sign))
    end += match.length
  }
  return name === undefined || text[end] !== ':'
    ? { line, group: undefined, name: '', params: {}, value: text }
    : { line, group, name: name.toUpperCase(), params, value: text.slice(end + 1) }
}

/** Text of a row at fault, cut off if it is long. */
export const linesText = (lines: readonly ContentLine[]): string =>
  lines
    .map(({ name, value }) => (name === '' ? value : `${name}:${value}`))
    .join('\n')
    .slice(0, 1_000_000)

/** The single value of a list; the list, if it has several. */
export const oneOrAll = <T>(list: readonly T[]): T | readonly T[] | undefined =>
  list.length > 1 ? list : list[0]

/** The text with its backslashes resolved: each is a line break, or the sign after it. */
export const resolved = (text: string): string =>
  text.replaceAll(/\\([n\\,;:"])/gi, (_, sign) => (/n/i.test(sign) ? '\n' : sign))

/** The parts between separators that no backslash escapes, with their backslashes. The rest of more than a row can have is one. */
export function splitEscaped(text: string, separator: ',' | ';'): string[] {
  const parts: string[] = []
  let from = 0
  for (const { 0: sign, index } of text.matchAll(/\\.|[,;]/gs)) {
    if (sign !== separator) continue
    if (parts.length > mostValues) break
    parts.push(text.slice(from, index))
    from = index + 1
  }
  return [...parts, text.slice(from)]
}
