import { readFile, writeFile } from 'node:fs/promises'
import { z } from 'zod'
import { type Sniffed, sniff } from '../input/sniff.ts'
import { standardInput } from '../input/source.ts'
import type { Preset } from '../mapping/guess/adapt-preset.ts'
import { type Draft, draftOf } from '../mapping/guess/draft.ts'
import type { SourceFacts } from '../mapping/guess/facts.ts'
import { presetFor } from '../mapping/guess/known-exports.ts'
import { Survey } from '../mapping/guess/survey.ts'
import { usageErrors } from '../model/usage-errors.ts'
import { recordTypes } from '../records/kinds.ts'
import { commandLine } from '../report/command-line.ts'
import { exitCodes } from './exit-code.ts'
import { importSettings } from './import-settings.ts'
import { checkFlags } from './layers.ts'
import { mappingPath, presetNames } from './mapping-path.ts'
import type { Surroundings } from './surroundings.ts'

const { format, delimiter, encoding } = importSettings.shape
const initFlags = z.object({
  output: z.string({ error: 'must be given once' }).optional(),
  record: z.enum(recordTypes, { error: `must be ${recordTypes.join(' or ')}` }).optional(),
  format,
  delimiter,
  encoding,
})

/** `rowlift init`: proposes a mapping for a source; gives the exit code. Throws a UsageError or SourceError. */
export async function initCommand(
  sources: readonly string[],
  flags: Readonly<Record<string, unknown>>,
  around: Surroundings,
): Promise<number> {
  const { output, record, ...said } = checkFlags(
    initFlags,
    Object.fromEntries(Object.entries(flags).filter(([name]) => name in initFlags.shape)),
  )
  const [source] = sources
  if (source === undefined || sources.length > 1) throw usageErrors.oneSource()
  const { signal } = new AbortController()
  const sniffed = await sniff(source, said, { stdin: around.stdin, signal, onRead: () => {} })
  if (sniffed.is === 'no_rows') throw usageErrors.noRows(source, sniffed.why)
  const { survey, isAll, headerLine } = await surveyed(sniffed)
  const names = survey.columns.map(({ name }) => name)
  const rows = survey.facts(isAll)
  const draft = draftOf(
    { source: factsOf(source, sniffed), rows, columns: survey.columns, wishes: { record }, headerLine },
    record === undefined ? await presetOf(names, sniffed) : undefined,
  )
  await write(draft, output, around)
  around.stderr.write(advice(source, output, draft))
  return exitCodes.finished
}

/** Reads the rows, as many as a draft needs. */
async function surveyed(
  sniffed: Sniffed,
): Promise<{ survey: Survey; isAll: boolean; headerLine: number | undefined }> {
  const open = await sniffed.open()
  const survey = new Survey(open.columns)
  try {
    for await (const batch of open.rows)
      for (const row of batch)
        if (!survey.add(row)) return { survey, isAll: false, headerLine: open.headerLine }
    return { survey, isAll: true, headerLine: open.headerLine }
  } finally {
    await open.close()
  }
}

const oddQuotes = {
  around_records:
    'THIS DRAFT IS OF NO USE YET: each line is one cell in quotes that holds a whole record, so the file has a single column. Export it once more, or take the outer quotes off and make each "" inside a single one, then draft again.',
  single:
    'The cells stand in single quotes, which CSV does not know: the quotes are taken for text, and a delimiter between them takes a cell apart. Export it with double quotes, then draft again.',
} as const

function factsOf(name: string, { settings, usual, encoding, header, quotes }: Sniffed): SourceFacts {
  return {
    name,
    format: settings.format ?? 'csv',
    delimiter: settings.delimiter,
    encoding: encoding.name,
    usual,
    header: settings.header,
    notes: [
      ...(quotes === undefined ? [] : [oddQuotes[quotes]]),
      ...(encoding.damagedLine === undefined
        ? []
        : [
            `The file is UTF-8, but line ${encoding.damagedLine} holds letters that are not. An import ends there, at the latest, and takes no row from that line on; mend the line, then import.`,
          ]),
      ...(encoding.by === 'guess'
        ? [`The encoding is a guess, by the letters; look whether names come out right.`]
        : []),
      ...(header?.unnameable === undefined
        ? []
        : [
            'The header has no first cell of its own to be found by, so its names stand under source; its line is read as a row.',
          ]),
      ...(header?.unsure === undefined || quotes !== undefined
        ? []
        : [
            `Is the first line (${JSON.stringify(header.unsure.slice(0, 40).replaceAll(/\s+/g, ' '))}) a header or a row? Nothing tells, so it is taken for a header. If it is a row, name the columns under source, as in "header: { columns: [Task] }", and use these names below.`,
          ]),
    ],
  }
}

/** The preset of the product that the columns are known by, if it ships. */
async function presetOf(columns: readonly string[], { settings }: Sniffed): Promise<Preset | undefined> {
  const name = presetFor(columns, settings.format ?? 'csv')
  if (name === undefined || !presetNames().includes(name)) return undefined
  return { name, text: await readFile(mappingPath(`preset:${name}`), 'utf8') }
}

async function write({ text }: Draft, output: string | undefined, { stdout }: Surroundings): Promise<void> {
  if (output === undefined || output === standardInput) {
    stdout.write(text)
    return
  }
  await writeFile(output, text, { flag: 'wx' }).catch(error => {
    throw error.code === 'EEXIST'
      ? usageErrors.outputExists(output)
      : usageErrors.cannotWriteDraft(output, error)
  })
}

/** What to do with the draft. */
function advice(source: string, output: string | undefined, { tried }: Draft): string {
  const mapping = output === undefined || output === standardInput ? 'MAPPING.yaml' : output
  const refused =
    tried.refused === 0
      ? ''
      : ` Of the ${tried.rows} rows that it was tried with, ${tried.refused} would be invalid.`
  return `A draft: read it, for its comments ask what only you can know.${refused}\nNext: ${commandLine(['import', source, '-m', mapping, '--dry-run'])}\n`
}
