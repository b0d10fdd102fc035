import { fileURLToPath } from 'node:url'
import { commands } from '../commands.ts'
import { isProgram, packageRoot } from '../model/package.ts'
import { recordTypes } from '../records/record-types.ts'
import type { Option } from '../settings/option-values.ts'
import { flagOf } from '../settings/options.ts'
import { type Command, helpOptions } from './command.ts'

const width = 80

/** The text of `rowlift --help`. */
export async function mainHelp(): Promise<string> {
  const records = recordTypes.map(type => `${type}s`).join(' and ')
  const heads = Object.entries(commands).map(
    async ([name, load]) => [`rowlift ${name}`, (await load()).describe] as const,
  )
  return sections([
    paragraph(`rowlift imports the rows of files as ${records}: no row twice, no row lost.`),
    `Commands:\n${table(await Promise.all(heads))}`,
    optionTable(lastHeading, Object.entries(helpOptions)),
    'rowlift help COMMAND shows the options of a command.',
    exitCodesAndEnvironment,
    ...readOn(),
  ])
}

/** The text of `rowlift COMMAND --help`: of many options those that most runs need, unless `all` are wanted. */
export function commandHelp(command: Command, all: boolean): string {
  const { usage, about, options, common, examples, codes } = command
  const isShort = common !== undefined && !all
  const shown = Object.entries<Option>({ ...options, ...helpOptions }).filter(([name, { kind }]) =>
    isShort ? common.includes(name) || name in helpOptions : kind !== 'rules',
  )
  const more = `All ${Object.keys(options).length} options, the exit codes and the environment: rowlift ${usage[0]?.split(' ')[0]} --help --all`
  const ends = codes === undefined ? exitCodesAndEnvironment : paragraph(codesText(codes))
  return sections([
    usage.map(line => `rowlift ${line}`).join('\n'),
    ...(about === undefined ? [] : [paragraph(about)]),
    ...(isShort ? [optionTable(lastHeading, shown)] : optionTables(shown)),
    `Examples:\n${table(examples)}`,
    isShort ? paragraph(more) : ends,
    ...readOn(),
  ])
}

const usualCodes = { 0: 'done', 2: 'could not be done as given', 70: 'a defect in rowlift' }

/** The exit codes of a command in a sentence; integer keys come in their order. */
function codesText(codes: Readonly<Record<number, string>>): string {
  const all = Object.entries({ ...usualCodes, ...codes }).map(([code, text]) => `${code} ${text}`)
  return `Exit codes: ${all.join(', ')}.`
}

const sections = (texts: readonly string[]) => `${texts.join('\n\n')}\n`

type Named = readonly [name: string, option: Option]

const lastHeading = 'Options'

const optionTable = (heading: string, options: readonly Named[]) =>
  `${heading}:\n${table(options.map(([name, option]) => [flagWord(name, option), described(option)]))}`

/** A table for each group; options without one come last. */
function optionTables(options: readonly Named[]): string[] {
  const headings = new Set(options.flatMap(([, { group }]) => group ?? []))
  const inTable = (heading: string) => options.filter(([, { group = lastHeading }]) => group === heading)
  return [...headings, lastHeading].map(heading => optionTable(heading, inTable(heading)))
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
  const { kind, text, placeholder, default: value, defaultText } = option
  const known = defaultText ?? (kind === 'flag' ? undefined : value)
  const words = option.kind === 'choice' && placeholder !== undefined ? option.values.join(', ') : ''
  const facts = [words, known === undefined ? '' : `default: ${known}`].filter(fact => fact !== '')
  return text.replaceAll('`', '') + (facts.length === 0 ? '' : ` [${facts.join('; ')}]`)
}

/** The right column is wrapped, and goes below the left one if that takes more than half of the width. */
function table(rows: readonly (readonly [string, string])[]): string {
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

const paragraph = (text: string) => wrapped(text, width).join('\n')

const wrapped = (text: string, columns: number): string[] =>
  text.match(new RegExp(`\\S.{0,${columns - 1}}(?= |$)`, 'g')) ?? []

/** Nothing in a program, which has no pages. */
const readOn = () => (isProgram ? [] : [`More: ${fileURLToPath(new URL('README.md', packageRoot))}`])

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
