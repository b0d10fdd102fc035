import type { NotRows, Packing, SourceProblems, UnreadableZip, WorkbookFault } from '../../model/errors.ts'
import { type Catalogue, type Face, list, type Sentence, unreadable } from './sentence.ts'

/** Of a file, or of the archive that it is in. */
const unpacking = (name: string) =>
  /\.(gz|zst)$/i.test(name)
    ? `${/gz$/i.test(name) ? 'gunzip' : 'zstd -d'} "${name}"`
    : `unzip "${name.replace(/(\.zip)\/.*$/i, '$1')}"`

/** What to do with a file of which no rows can be read. */
const notRows: Readonly<Record<Exclude<NotRows, Packing>, Sentence>> = {
  empty: ['is empty', 'a table needs a header line'],
  zip: [
    'is an Excel file or another archive',
    'give it a name that ends in .xlsx or .zip, or unpack it: unzip -p FILE',
  ],
  xls: ['is an Excel file in the older format .xls', 'open it and save it as .xlsx'],
  encrypted: ['is an Excel file with a password', 'open it and save it without one'],
  xlsb: ['is a binary Excel file (.xlsb)', 'open it and save it as .xlsx'],
  ods: ['is an OpenDocument spreadsheet (.ods)', 'open it and save it as .xlsx'],
  office: ['is an older Excel file or another office document', 'open it and save the sheet as .xlsx'],
  pdf: ['is a PDF', 'export the data as CSV instead'],
  gzip: ['is compressed with gzip', 'give it a name that ends in .gz, and it is unpacked on the fly'],
  image: ['is an image', 'export the data as CSV or NDJSON'],
  web_page: ['is a web page or XML, such as a login page', 'export the data as CSV instead'],
  vcard: ['holds vCards', 'read it with the format vcard, or give it a name that ends in .vcf'],
  icalendar: ['is a calendar', 'read it with the format icalendar, or give it a name that ends in .ics'],
  xlsx: ['is an Excel file', 'read it with the format xlsx, or give it a name that ends in .xlsx'],
  json: ['is a JSON document', 'give it a name that ends in .json, or read it with the format json'],
  text: ['is a text file, such as CSV', 'read it with the format csv'],
  binary: ['is not a text file', 'export the data as CSV or NDJSON'],
  ndjson: [
    'holds one JSON object per line',
    'read it with the format ndjson, or give it a name that ends in .ndjson',
  ],
}

const packedBy = (program: string): Sentence => [
  `is packed with ${program}`,
  `unpack it first: ${program} ${{ rar: 'x', '7z': 'x', tar: '-xf' }[program] ?? '-d'} FILE`,
]

/** Where an import is told how to read a source; a lookup is told only in the mapping. */
function give(settings: Readonly<Record<string, string>>, { option, lookup }: Face): string {
  const given = Object.entries(settings)
  const inMapping = `${given.map(entry => entry.join(': ')).join(', ')} under source: `
  if (lookup !== undefined) return `${inMapping}of lookups.${lookup} in the mapping`
  return `${given.map(([key, value]) => `${option(key)} ${value}`).join(' and ')}, or ${inMapping}in the mapping`
}

const unreadableZip: Readonly<Record<UnreadableZip, string>> = {
  encrypted: 'is encrypted',
  method: 'is packed in a way that is not read, such as deflate64',
  bomb: 'would unpack to more than 100 MB, and to over 200 times its packed size',
}

const signs = {
  value: 'a value',
  value_or_end: 'a value or "]"',
  key: 'a key in quotes',
  key_or_end: 'a key in quotes or "}"',
  colon: '":"',
  comma_or_end: 'a comma or a closing bracket',
  nothing: 'its end',
}

const workbookFaults: Readonly<Record<WorkbookFault, (reason: string) => string>> = {
  xml: reason => `is damaged (${reason})`,
  doctype: () => 'has a document type, which no spreadsheet program writes',
  deep: () => 'has more than 100 levels',
  long: () => 'is too long: a row may take 10 MB, a shared text 250 kB, another part 20 MB',
  place: reason => `has a row or cell at ${reason}, where a sheet has none`,
  many_styles: () => 'has more than 1,000,000 styles',
  many_strings: () => 'has texts of more than 1 GB',
}

/** With the sheet, where it is one of a workbook. */
export const describeSource = ({
  path,
  sheet,
}: {
  readonly path: string
  readonly sheet?: string
}): string => (sheet === undefined ? path : `${path}, sheet "${sheet}"`)

const sheetNamed = (lookup: string | undefined) =>
  lookup === undefined
    ? 'sheet: NAME under source: in the mapping, or rowlift init --sheet NAME'
    : `sheet: NAME under source: of lookups.${lookup} in the mapping`

const at = (source: string, line: number) => `${source}:${line}`

/** Sentences about a source that cannot be read on. */
export const sourceWords: Catalogue<SourceProblems> = {
  source_unreadable: ({ source, reason }) => unreadable(source, 'file', reason),
  bad_gzip: ({ source, reason }) => [
    `${source}: the ${/\.zst$/i.test(`${source}`) ? 'zstd' : 'gzip'} file is damaged or cut short (${reason})`,
    'fetch it again',
  ],
  bad_zip: ({ source, entry, reason }) => [
    `${source}: ${entry === undefined ? 'the zip archive' : `${entry} in it`} is damaged or cut short (${reason})`,
    'fetch it again',
  ],
  unreadable_zip: ({ source, entry, why }) => [
    `${source}: ${entry} in it ${unreadableZip[why]}`,
    /\.xls.$/i.test(`${source}`) ? 'save the sheet as CSV' : `unpack it: unzip "${source}"`,
  ],
  no_file_in_zip: ({ source, files }) => [
    `${source}: names no file of rows in the archive, or several`,
    `give one of ${list(files.map(file => (/\s/.test(file) ? `"${file}"` : file))) || 'no files'}`,
  ],
  bad_calendar: ({ source, why }) =>
    why === 'not_begun'
      ? [
          `${source}: is no calendar, for it does not begin with BEGIN:VCALENDAR`,
          'give it its own name or format',
        ]
      : [`${source}: is cut short, for it has no END:VCALENDAR`, 'export it again'],
  no_tasks: ({ source, events }) => [
    `${source}: holds ${events} event${events === 1 ? '' : 's'} and no tasks`,
    'export the task list: in many programs it is a calendar of its own',
  ],
  bad_workbook: ({ source, part, fault, reason = '' }) => [
    `${source}: ${part} in the workbook ${workbookFaults[fault as WorkbookFault](reason)}`,
    'open the file in a spreadsheet program and save it again',
  ],
  workbook_in_stream: ({ source, isPacked }) => [
    `${source}: a sheet is read only from a file that is not packed`,
    isPacked ? `unpack it first: ${unpacking(`${source}`)}` : 'write it to a file first: cat > FILE.xlsx',
  ],
  empty_sheet: ({ source, sheet, others }, { lookup }) => [
    `${source}: the sheet "${sheet}" has no rows`,
    others.length === 0 ? 'fill it' : `name another one, of ${list(others)}: ${sheetNamed(lookup)}`,
  ],
  sheet_not_found: ({ source, sheet, sheets }, { lookup }) =>
    sheets.length === 0
      ? `${source}: the workbook has no sheet with rows`
      : [
          `${source}: there is no sheet "${sheet}" with rows; those with rows are ${list(sheets)}`,
          `write ${sheetNamed(lookup)}`,
        ],
  bad_bytes: (
    { source, line, encoding, guess = /1252/.test(`${encoding}`) ? 'utf-8' : 'windows-1252' },
    face,
  ) => [
    `${at(source, line)}: this line holds bytes that are not ${encoding}`,
    `name its encoding, such as ${give({ encoding: guess }, face)}; rowlift init ${source} finds it out`,
  ],
  wrong_encoding: ({ source, line, encoding, character, misread }, face) => [
    `${at(source, line)}: the text is UTF-8, but was to be read as ${encoding}: "${misread}" instead of "${character}"`,
    `give ${give({ encoding: 'utf-8' }, face)} (if it is ${encoding} all the same, add ${face.option('trust-encoding')})`,
  ],
  unsupported_source: ({ source, looksLike }) => {
    const said = notRows[looksLike as keyof typeof notRows] ?? packedBy(looksLike)
    const [what, fix] = said as readonly [string, string]
    return [`${source}: ${what}`, fix]
  },
  row_too_long: ({ source, line, megabytes }) => [
    `${at(source, line)}: the row that starts here is longer than ${megabytes} MB`,
    'look for a quote that is never closed',
  ],
  unclosed_quote: ({ source, line }) =>
    `${at(source, line)}: the row that starts here has a quote that is never closed`,
  not_csv: ({ source, line, reason }) =>
    `${at(source, line)}: the row that starts here is not CSV (${reason})`,
  bad_json: ({ source, line, column, wanted, found }, { option }) => {
    const place = `${at(source, line)}:${column}`
    if (found === '') return [`${place}: the JSON ends here, in the middle`, 'fetch the file again']
    const what = `${place}: the JSON is broken here: "${found}" where ${signs[wanted]} should be`
    const isLine = wanted === 'nothing' && found === '{'
    return isLine ? [what, `one object per line is read with ${option('format')} ndjson`] : what
  },
  no_one_list: ({ source, rows, lists: [first, ...others] }, { option, lookup }) => {
    const what = rows === undefined ? 'nothing says which list has its rows' : `there is no list at "${rows}"`
    if (first === undefined)
      return [
        `${source}: ${what}, and it holds no ${rows === undefined ? '' : 'other '}list of objects`,
        `look at the names of its keys; a single row is read with ${option('format')} ndjson`,
      ]
    const found = list([first, ...others].map(({ path, items }) => `${path} (${items})`))
    const where = lookup === undefined ? `source: { rows: ${first.path} }` : `rows: ${first.path}`
    return [`${source}: ${what}; it holds ${found}`, `name one in the mapping: ${where}`]
  },
  no_header: ({ source }) => [
    `${source}: is empty`,
    'a table needs a header line, or header.columns in the mapping',
  ],
  too_many_columns: ({ source, columns, most }) => [
    `${source}: its header has ${columns} columns, more than ${most}`,
    'leave out those that the mapping does not name',
  ],
  misread_header: ({ source, columns, delimiter, encoding }, face) => {
    if (encoding === 'twice')
      return [
        `${source}: was made UTF-8 twice; its header would be ${list(columns)}`,
        'export it again as UTF-8',
      ]
    const settings = {
      ...(delimiter !== undefined && { delimiter: `"${delimiter.replaceAll('⇥', '\\t')}"` }),
      ...(encoding !== undefined && { encoding }),
    }
    const seems = Object.entries(settings).map(([key, value]) => `its ${key} seems to be ${value}`)
    return [
      `${source}: ${seems.join(' and ')}, which makes its header ${list(columns)}`,
      `give ${give(settings, face)}`,
    ]
  },
  header_not_found: ({ source, wanted, seen }) =>
    `${source}: no line starts with the cell "${wanted}" (header.starts_with); the first cells are ${seen
      .map(cell => `"${cell}"`)
      .join(', ')}`,
  source_changed: ({ source, isReplaced, sizes }, { again }) => [
    `${source}: ${isReplaced ? 'was replaced by another file' : 'has changed'} since the run began (${sizes.join(' bytes then, now ')})`,
    `when nothing writes it any more, ${again}: rows that have records are left alone`,
  ],
}
