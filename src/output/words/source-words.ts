import { type Dialect, unreadableFile, type Words } from './sentence.ts'

const unpack = (command: string) => `is packed with {looksLike} → unpack it first: ${command} FILE`

/** Remedies for a file of which no rows can be read. */
const notRows = {
  empty: 'is empty → a table needs a header line',
  zip: `is an Excel file or another archive
    → give it a name that ends in .xlsx or .zip, or unpack it: unzip -p FILE`,
  xls: 'is an Excel file in the older format .xls → open it and save it as .xlsx',
  encrypted: 'is an Excel file with a password → open it and save it without one',
  xlsb: 'is a binary Excel file (.xlsb) → open it and save it as .xlsx',
  ods: 'is an OpenDocument spreadsheet (.ods) → open it and save it as .xlsx',
  office: 'is an older Excel file or another office document → open it and save the sheet as .xlsx',
  pdf: 'is a PDF → export the data as CSV instead',
  gzip: 'is compressed with gzip → give it a name that ends in .gz, and it is unpacked on the fly',
  image: 'is an image → export the data as CSV or NDJSON',
  web_page: 'is a web page or XML, such as a login page → export the data as CSV instead',
  vcard: 'holds vCards → read it with the format vcard, or give it a name that ends in .vcf',
  icalendar: 'is a calendar → read it with the format icalendar, or give it a name that ends in .ics',
  xlsx: 'is an Excel file → read it with the format xlsx, or give it a name that ends in .xlsx',
  json: 'is a JSON document → give it a name that ends in .json, or read it with the format json',
  text: 'is a text file, such as CSV → read it with the format csv',
  binary: 'is not a text file → export the data as CSV or NDJSON',
  ndjson:
    'holds one JSON object per line → read it with the format ndjson, or give it a name that ends in .ndjson',
  zstd: unpack('zstd -d'),
  bzip2: unpack('bzip2 -d'),
  xz: unpack('xz -d'),
  lz4: unpack('lz4 -d'),
  compress: unpack('compress -d'),
  rar: unpack('rar x'),
  '7z': unpack('7z x'),
  tar: unpack('tar -xf'),
}

/** The way to give settings of a source: an import by options or in its mapping, a lookup in the mapping only. */
function give(settings: Readonly<Record<string, string>>, lookup: string | undefined): string {
  const pairs = Object.entries(settings)
  const inMapping = `${pairs.map(pair => pair.join(': ')).join(', ')} under source: `
  if (lookup !== undefined) return `${inMapping}of lookups.{$lookup} in the mapping`
  return `${pairs.map(([key, value]) => `{--${key}} ${value}`).join(' and ')}, or ${inMapping}in the mapping`
}

type MisreadHeader = Readonly<Record<'delimiter' | 'encoding', string | undefined>> &
  Readonly<{ source: string; columns: readonly string[] }>

function misreadHeader({ delimiter, encoding }: MisreadHeader, { lookup }: Dialect): string {
  if (encoding === 'twice')
    return '{source}: was made UTF-8 twice; its header would be {...columns} → export it again as UTF-8'
  const settings = {
    ...(delimiter !== undefined && { delimiter: delimiter === '\t' ? '"\\t"' : '"{delimiter}"' }),
    ...(encoding !== undefined && { encoding: '{encoding}' }),
  }
  const seems = Object.entries(settings).map(([key, value]) => `its ${key} seems to be ${value}`)
  return `{source}: ${seems.join(' and ')}, which makes its header {...columns}
    → give ${give(settings, lookup)}`
}

type BadText = { readonly source: string; readonly line: number; readonly encoding: string }

/** Reasons why a source cannot be read on. */
export const sourceWords = {
  source_unreadable: (p: { source: string; reason: string }) => unreadableFile(p.reason, '{source}', 'file'),
  /** `guess` is the encoding that these bytes seem to be in; `isSniffed` if that was looked for in vain. */
  bad_bytes: (
    p: BadText & { readonly guess?: string | undefined; isSniffed?: true },
    { lookup }: Dialect,
  ) => {
    const other = /1252/.test(p.encoding) ? 'utf-8' : 'windows-1252'
    const setting = give({ encoding: p.guess === undefined ? other : '{guess}' }, lookup)
    return `{source}:{line}: this line holds bytes that are not {encoding}
      → name its encoding, such as ${setting}${p.isSniffed ? '' : '; rowlift init {source} finds it out'}`
  },
  wrong_encoding: (_: BadText & Record<'character' | 'misread', string>, { lookup }: Dialect) =>
    `{source}:{line}: the text is UTF-8, but was to be read as {encoding}: "{misread}" instead of "{character}"
    → give ${give({ encoding: 'utf-8' }, lookup)} (if it is {encoding} all the same, add {--trust-encoding})`,
  unsupported_source: (p: { source: string; looksLike: keyof typeof notRows }) =>
    `{source}: ${notRows[p.looksLike]}`,
  row_too_long: `{source}:{#line}: the row that starts here is longer than {#megabytes} MB
    → look for a quote that is never closed`,
  too_many_empty_lines: `{source}:{#line}: more than {#most} empty lines come before this one
    → look whether the file is whole, and take them out`,
  unclosed_quote: '{source}:{#line}: the row that starts here has a quote that is never closed',
  not_csv: '{source}:{#line}: the row that starts here is not CSV ({reason})',
  no_header: '{source}: is empty → a table needs a header line, or header.columns in the mapping',
  too_many_columns: `{source}: its header has {#columns} columns, more than {#most}
    → leave out those that the mapping does not name`,
  misread_header: misreadHeader,
  header_not_found:
    '{source}: no line starts with the cell "{wanted}" (header.starts_with); the first cells are "{...seen|", "}"',
  source_changed: (p: { source: string; isReplaced: boolean; sizes: readonly number[] }) =>
    `{source}: ${p.isReplaced ? 'was replaced by another file' : 'has changed'} since the run began ({...sizes| bytes then, now })
    → when nothing writes it any more, {$again}: rows that have records are left alone`,
} as const satisfies Words
