import { type Zipped, zipOf } from './zip.ts'

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packages = 'http://schemas.openxmlformats.org/package/2006/relationships'

/** A workbook as the XML of its parts; what is not given is as simple as can be. */
export interface WorkbookXml {
  /** By name: what stands in `sheetData`, or the whole part where it begins with `<?xml`. */
  readonly sheets?: Readonly<Record<string, string>>
  /** The items of the table of shared strings. */
  readonly strings?: readonly string[]
  /** Codes of formats, each the style of that number; a number is one that is built in. */
  readonly formats?: readonly (string | number)[]
  readonly is1904?: boolean
  /** The kinds of sheets that are no worksheets, by name. */
  readonly types?: Readonly<Record<string, string>>
  /** Other parts, or these in another way. */
  readonly parts?: Readonly<Record<string, string>>
}

/** A workbook of one sheet, by the XML of its rows. */
export const sheetOf = (rows: string, others: WorkbookXml = {}): Buffer =>
  workbookOf({ sheets: { People: rows }, ...others })

export function workbookOf({
  sheets = {},
  strings,
  formats = [],
  is1904,
  types = {},
  parts = {},
}: WorkbookXml): Buffer {
  const names = Object.keys(sheets)
  const all: Record<string, string> = {
    '_rels/.rels': relationships([['officeDocument', 'xl/workbook.xml']]),
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${office}"><workbookPr${is1904 ? ' date1904="1"' : ''}/><sheets>${names
      .map((name, at) => `<sheet name="${escaped(name)}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`)
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relationships([
      ...names.map((name, at) => [types[name] ?? 'worksheet', `worksheets/sheet${at + 1}.xml`] as const),
      ['sharedStrings', 'sharedStrings.xml'],
      ['styles', 'styles.xml'],
    ]),
    'xl/styles.xml': stylesOf(formats),
  }
  if (strings)
    all['xl/sharedStrings.xml'] =
      `<sst xmlns="${main}">${strings.map(item => `<si>${item}</si>`).join('')}</sst>`
  for (const [at, rows] of Object.values(sheets).entries())
    all[`xl/worksheets/sheet${at + 1}.xml`] = rows.startsWith('<?xml')
      ? rows
      : `<worksheet xmlns="${main}"><sheetData>${rows}</sheetData></worksheet>`
  const files = Object.entries({ ...all, ...parts }).map(([name, content]): Zipped => ({ name, content }))
  return zipOf(files)
}

const relationships = (targets: readonly (readonly [type: string, target: string])[]) =>
  `<Relationships xmlns="${packages}">${targets
    .map(
      ([type, target], at) => `<Relationship Id="rId${at + 1}" Type="${office}/${type}" Target="${target}"/>`,
    )
    .join('')}</Relationships>`

function stylesOf(formats: readonly (string | number)[]): string {
  const codes = formats.map((code, at) => (typeof code === 'number' ? [code] : [200 + at, code]))
  const own = codes.filter(([, code]) => code !== undefined)
  return `<styleSheet xmlns="${main}"><numFmts>${own
    .map(([id, code]) => `<numFmt numFmtId="${id}" formatCode="${escaped(String(code))}"/>`)
    .join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>${codes
    .map(([id]) => `<xf numFmtId="${id}"/>`)
    .join('')}</cellXfs></styleSheet>`
}

export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
