import { readFile, writeFile } from 'node:fs/promises'
import { initOptions } from '../../app/command-options.ts'
import { exitCodes } from '../../app/exit-code.ts'
import { mappingPath, presetNames } from '../../app/paths.ts'
import { pathIn } from '../../app/ports.ts'
import { type Sniffed, sniff } from '../../input/sniff/index.ts'
import { standardInput } from '../../input/source.ts'
import { type Draft, draftOf } from '../../mapping/draft/draft.ts'
import { type Preset, presetFor } from '../../mapping/draft/preset.ts'
import { type SourceFacts, Survey } from '../../mapping/draft/survey.ts'
import { reasonOf, UsageError } from '../../model/errors.ts'
import { draftWritten } from '../../report/draft.ts'
import type { CliContext } from '../context.ts'
import { parseFlags } from '../settings-sources.ts'

/** `rowlift init`: proposes a mapping for a source; gives the exit code. Throws a UsageError or SourceError. */
export async function initCommand(
  sources: readonly string[],
  flags: Readonly<Record<string, unknown>>,
  context: CliContext,
): Promise<number> {
  const { output, record, ...said } = parseFlags(initOptions, flags, context)
  const [named] = sources
  if (named === undefined || sources.length > 1) throw new UsageError('one_source')
  const source = pathIn(context, named)
  const { signal } = new AbortController()
  const sniffed = await sniff(source, said, { stdin: context.stdin, signal, onRead: () => {} })
  if (sniffed.type === 'no_rows') throw new UsageError('no_rows', { path: source, looksLike: sniffed.reason })
  const { survey, isAll, headerLine } = await surveyed(sniffed)
  const names = survey.columns.map(({ name }) => name)
  const rows = survey.facts(isAll)
  const draft = draftOf(
    { source: factsOf(source, sniffed), rows, columns: survey.columns, record, headerLine },
    record === undefined ? await presetOf(names, sniffed) : undefined,
  )
  const file = output === undefined || output === standardInput ? undefined : output
  await write(draft, file, context)
  context.stderr.write(draftWritten(source, file, draft.tried))
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

const factsOf = (name: string, { settings, usual, encoding, header, quotes }: Sniffed): SourceFacts => ({
  name,
  format: settings.format ?? 'csv',
  delimiter: settings.delimiter,
  encoding: encoding.name,
  usual,
  header: settings.header,
  oddities: {
    quotes,
    damagedLine: encoding.damagedLine,
    isEncodingGuessed: encoding.by === 'guess',
    isHeaderUnnameable: header?.unnameable !== undefined,
    unsureHeader: header?.unsure,
  },
})

/** The preset of the product that the columns are known by, if it ships. */
async function presetOf(columns: readonly string[], { settings }: Sniffed): Promise<Preset | undefined> {
  const name = presetFor(columns, settings.format ?? 'csv')
  if (name === undefined || !presetNames().includes(name)) return undefined
  return { name, text: await readFile(mappingPath(`preset:${name}`), 'utf8') }
}

async function write({ text }: Draft, output: string | undefined, { stdout }: CliContext): Promise<void> {
  if (output === undefined) return void stdout.write(text)
  await writeFile(output, text, { flag: 'wx' }).catch(error => {
    throw error.code === 'EEXIST'
      ? new UsageError('output_exists', { path: output })
      : new UsageError('cannot_write_draft', { path: output, reason: reasonOf(error) })
  })
}
