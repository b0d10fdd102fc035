import { fileURLToPath } from 'node:url'
import type { Option, Options } from '../app/option-values.ts'
import { flagOf } from '../app/options.ts'
import { packageRoot } from '../model/package.ts'
import { commonOptions } from './args.ts'
import type { Command } from './commands/commands.ts'

const mostColumns = 110

/** The text of `rowlift --help`; `columns` is the width of the terminal, 0 where it is unknown. */
export function mainHelp(commands: Readonly<Record<string, Command>>, columns: number): string {
  const width = widthOf(columns)
  const summaries = Object.entries(commands).map(
    ([name, { summary }]) => [`rowlift ${name}`, summary] as const,
  )
  return sections([
    paragraph('rowlift imports the rows of files as contacts and tasks: no row twice, no row lost.', width),
    `Commands:\n${table(summaries, width)}`,
    ...optionTables(commonOptions, width),
    exitCodesAndEnvironment,
    readOn(),
  ])
}

export function commandHelp({ usage, about, options, examples, codes }: Command, columns: number): string {
  const width = widthOf(columns)
  return sections([
    usage.map(line => `rowlift ${line}`).join('\n'),
    ...(about === undefined ? [] : [paragraph(about, width)]),
    ...optionTables(options, width),
    `Examples:\n${table(examples, width)}`,
    codes === undefined ? exitCodesAndEnvironment : paragraph(codes, width),
    readOn(),
  ])
}

const widthOf = (columns: number) => Math.min(mostColumns, columns || mostColumns)

const sections = (texts: readonly string[]) => `${texts.join('\n\n')}\n`

const lastHeading = 'Options'

/** The tables of options by heading; common options come last. */
function optionTables(options: Options, width: number): string[] {
  const groups = new Map<string, (readonly [string, string])[]>()
  for (const [name, option] of Object.entries({ ...options, ...commonOptions }) as [string, Option][]) {
    if (option.kind === 'rules') continue
    const group = option.group ?? lastHeading
    groups.set(group, [...(groups.get(group) ?? []), [flagWord(name, option), described(option)]])
  }
  return [...groups]
    .sort(([a], [b]) => Number(a === lastHeading) - Number(b === lastHeading))
    .map(([heading, rows]) => `${heading}:\n${table(rows, width)}`)
}

const flagWord = (name: string, option: Option) =>
  `${option.alias === undefined ? '    ' : `-${option.alias}, `}--${flagOf(name)} ${placeholderOf(option)}`.trimEnd()

const placeholders: Readonly<Partial<Record<Option['kind'], string>>> = {
  flag: '',
  path: 'FILE',
  url: 'URL',
  version: 'V',
  count: 'N',
  number: 'N',
  rows_or_share: 'N|N%',
  share: 'N%',
  duration: 'TIME',
  uuid: 'ID',
  delimiter: 'SIGN',
  encoding: 'NAME',
  ledger: 'URL',
  name: 'NAME',
}

export const placeholderOf = (option: Option): string =>
  option.placeholder ??
  (option.kind === 'choice' ? option.values.join('|') : (placeholders[option.kind] ?? 'WORD'))

/** The text, the words of a choice that are not written out before it, and the default. */
function described(option: Option): string {
  const { kind, text, default: value, defaultText } = option
  const known = defaultText ?? (kind === 'flag' ? undefined : value)
  const facts = [
    ...(kind === 'choice' && option.placeholder !== undefined ? [option.values.join(', ')] : []),
    ...(known === undefined ? [] : [`default: ${known}`]),
  ]
  return text.replaceAll('`', '') + (facts.length === 0 ? '' : ` [${facts.join('; ')}]`)
}

/** The right column is wrapped, and goes below the left one where that takes more than half of the width. */
function table(rows: readonly (readonly [string, string])[], width: number): string {
  const widest = Math.max(...rows.map(([left]) => left.length))
  const indent = widest + 4 > width / 2 ? 6 : widest + 4
  return rows
    .map(([left, right]) => {
      const lines = wrapped(right, width - indent).map(line => ' '.repeat(indent) + line)
      const start = `  ${left}`
      return start.length + 2 > indent
        ? [start, ...lines].join('\n')
        : start + lines.join('\n').slice(start.length)
    })
    .join('\n')
}

const paragraph = (text: string, width: number) => wrapped(text, width).join('\n')

function wrapped(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + word.length < width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

const readOn = () => `More: ${fileURLToPath(new URL('README.md', packageRoot))}`

const exitCodesAndEnvironment = `Exit codes:
  0             every row has its record (dry run: no row is invalid), and what
                is expected holds
  1             some rows are invalid, failed, merged or in doubt, or an
                expectation does not hold; a test failed
  2             usage, settings, mapping or source could not be used;
                nothing was sent
  3             stopped early: token refused, no answers, too many failures, log
                or source broke; or page, summary or metrics were not written
  4             another run holds the result log
  70            a defect in rowlift
  129 130 143   ended by a closed terminal, Ctrl-C or SIGTERM
  141           nobody reads on what a dry run writes to standard output

Environment:
  ROWLIFT_TOKEN             the bearer token; there is no flag for it
  ROWLIFT_BASE_URL, …       any option of import, unless its flag is given
  HTTPS_PROXY, NO_PROXY     proxies, and what goes without
  NODE_EXTRA_CA_CERTS       a file of private authorities
  NO_COLOR                  no colours on a terminal`
