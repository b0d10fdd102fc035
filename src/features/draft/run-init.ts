import { existsSync, statSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { Run } from '../../cli/command.ts'
import { printTo } from '../../cli/context.ts'
import { standardInput } from '../../input/source.ts'
import { cannotWrite, reasonOf, UsageError } from '../../model/errors.ts'
import { readUserFile } from '../../model/user-file.ts'
import { aligned, commandLine, jsonLine, rows, sourceWord, visible } from '../../output/text.ts'
import { pathIn } from '../../platform/process-info.ts'
import { shorten } from '../../result/short-texts.ts'
import { exitCodes } from '../../run/exit-code.ts'
import { isPreset } from '../../run/paths.ts'
import { rewriteFile } from '../mapping-tests/update-tests.ts'
import { addTexts } from '../worksheets/sheet-file.ts'
import { type Draft, draftOf } from './draft.ts'
import { outlineOf } from './draft-json.ts'
import { factsOf, type InitOptions } from './drafts.ts'
import { draftMigration } from './files/migration.ts'
import { settingsBy } from './opening.ts'
import type { initOptions } from './options.ts'
import { type Explained, longestName } from './roles/match.ts'
import { writeSchemas } from './schema-files.ts'

/** `rowlift init`: drafts a mapping for a source, or a plan for several; returns the exit code. Throws a UsageError or SourceError. */
export const runInit: Run<typeof initOptions> = async ({ positionals, values: options }, context) => {
  const { stdin, stdout, stderr } = context
  const sources = positionals.map(path => pathIn(context, path))
  const [source] = sources
  const output = options.output === standardInput ? undefined : options.output
  if (source === undefined) throw new UsageError('one_source_only')
  const { json, answer: answers = [] } = options
  if (output !== undefined && isFolder(output, sources.length)) {
    if (json || answers.length > 0 || options.like) throw new UsageError('single_source_only')
    if (sources.includes(standardInput)) throw new UsageError('stream_in_migration')
    const files = await draftMigration(sources, output, options)
    await writeNew(files, output)
    await writeSchemas(output, ['mapping', 'plan'])
    for (const file of files) await writeWorksheets(options.worksheets, file)
    for (const { path, explained } of options.explain ? files : [])
      if (explained) printTo(stderr, `${path}\n${describeColumns(explained)}`)
    printTo(stderr, describeDrafts(files.map(({ path }) => path)))
    return exitCodes.finished
  }
  if (sources.length > 1) throw new UsageError('several_need_folder')
  const read = async (path: string) => (await readUserFile('mapping file', path)).toString()
  const piped = source === standardInput && answers.length > 0 ? await buffer(stdin) : undefined
  const readBy = (known: InitOptions) => factsOf(source, known, piped ? Readable.from([piped]) : stdin)
  const sniffed = await readBy(options)
  const isEdited = (json || answers.length > 0) && output !== undefined && existsSync(output)
  const existing = isEdited ? await read(output) : undefined
  const anew = answers.find(answer => settingsBy(answer, sniffed))
  if (anew && existing !== undefined && existing !== draftOf(sniffed).text)
    throw new UsageError('draft_edited', { id: anew.column })
  const facts = anew ? await readBy({ ...options, ...settingsBy(anew, sniffed) }) : sniffed
  if (options.like && isPreset(options.like)) throw new UsageError('like_preset')
  const like = options.like && (await read(options.like))
  const left = answers.filter(answer => answer !== anew)
  const draft = draftOf(facts, left, { existing: anew ? undefined : existing, like })
  if (json) stdout.write(jsonLine(outlineOf(facts, draft)))
  else if (output === undefined) stdout.write(draft.text.replace(/^# yaml-language-server:.*\n/, '')) // no schema lies beside it
  if (isEdited && answers.length > 0) await rewriteFile(output, draft.text)
  else if (output !== undefined && !isEdited) {
    await writeNew([{ path: output, text: draft.text }])
    await writeSchemas(dirname(output), ['mapping'])
  }
  await writeWorksheets(options.worksheets, draft)
  if (options.explain) printTo(stderr, describeColumns(draft.explained))
  printTo(stderr, describeDraft(source, output ?? 'MAPPING.yaml', draft.counts))
  return exitCodes.finished
}

/** One that exists or ends in a slash; for several sources, any name but that of a mapping. */
const isFolder = (path: string, sources: number) =>
  statSync(path.replace(/[/\\]+$/, ''), { throwIfNoEntry: false })?.isDirectory() ??
  (/[/\\]$/.test(path) || (sources > 1 && !/\.(ya?ml|json)$/i.test(path)))

/** Writes all files or none, and makes the folder. */
async function writeNew(files: readonly { readonly path: string; readonly text: string }[], folder?: string) {
  const existing = files.filter(({ path }) => existsSync(path)).map(({ path }) => path)
  if (existing.length > 0) throw new UsageError('output_exists', { path: existing.join(', ') })
  const written: string[] = []
  try {
    if (folder !== undefined) await mkdir(folder, { recursive: true })
    for (const { path, text } of files) {
      await writeFile(path, text, { flag: 'wx' })
      written.push(path)
    }
  } catch (error) {
    for (const each of written) await rm(each)
    const { path = '' } = files[written.length] ?? {}
    throw new UsageError('cannot_write_draft', { path, reason: reasonOf(error) })
  }
}

/** Makes the tables that a draft asks a person to fill in. Throws a UsageError, a SourceError or a LogError. */
export async function writeWorksheets(
  folder = '',
  draft: { text: string; worksheets?: Draft['worksheets'] },
) {
  for (const [name, sheet] of (folder && draft.worksheets) || [])
    await mkdir(folder, { recursive: true })
      .then(() => addTexts(join(folder, name), sheet, async () => []))
      .catch(error => Promise.reject(cannotWrite(join(folder, name), error)))
}

function describeDraft(source: string, output: string, { rows: read, refused }: Draft['counts']): string {
  const next = commandLine(['import', sourceWord(source), '-m', output, '--dry-run'])
  const invalid = refused === 0 ? '' : ` Of the first ${rows(read)}, ${refused} would be invalid.`
  return `This is a draft: its comments ask what only you can know.${invalid}\nNext: ${next}\n`
}

/** Lists what was written for several sources, the plan last, and what to do with it. */
function describeDrafts(paths: readonly string[]): string {
  const next = commandLine(['import', '--plan', paths.at(-1) ?? '', '--dry-run'])
  return `Wrote ${paths.map(visible).join(', ')}. These are drafts: their comments ask what only you can know.\nNext: ${next}\n`
}

/** A table of the columns: what each became, what speaks for its role, and the role that came next. */
function describeColumns(columns: readonly Explained[]): string {
  if (columns.length === 0) return 'The columns are those of a preset, which says what each becomes.\n'
  const percent = (share: number) => `${Math.round(share * 100)}%`
  const table = columns.map(({ column: { name, filled, rows }, fields, reason, roles: [best, next] }) => {
    const weights = best ? [percent(best.header), percent(best.values), best.score.toFixed(2)] : ['', '', '']
    const second = next ? `${next.role} ${next.score.toFixed(2)}` : ''
    const became = fields.join(', ') || reason
    const share = percent(filled / Math.max(1, rows))
    return [shorten(name, longestName), share, became, best?.role ?? 'none', ...weights, second]
  })
  const head = ['column', 'filled', 'became', 'role', 'header', 'values', 'score', 'next']
  return `${aligned([head, ...table]).join('\n')}\n`
}
