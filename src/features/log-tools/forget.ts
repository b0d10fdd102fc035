import { readFile } from 'node:fs/promises'
import type { CliContext } from '../../cli/context.ts'
import { reasonOf, UsageError } from '../../model/errors.ts'
import { fingerprint, recordFingerprint } from '../../model/fingerprint.ts'
import { KeyTable } from '../../model/key-table.ts'
import type { RowIdentity } from '../../model/row.ts'
import { rows } from '../../output/text.ts'
import { listed } from '../../output/words/sentence.ts'
import { statusWord } from '../../result/row-counts.ts'
import { replay } from '../../store/files/checkpoint.ts'
import { givesRecord, identityIn, type ResultLine } from '../../store/files/lines.ts'
import { readResultLines } from '../../store/files/result-log.ts'
import type { WholeLine } from '../../store/files/whole-lines.ts'
import { exportRows } from '../reconcile/export-rows.ts'
import { tellOf, workOn } from './command-run.ts'
import { runNamed, writeRecords } from './ids.ts'
import type { LogOptions } from './options.ts'

/** What becomes of a record: the import did not make it, it stays, its rows are to be forgotten, it is gone already. */
const [found, stays, due, gone] = [0, 1, 2, 3] as const

/**
 * Lists the rows whose records are gone, and forgets them: because an export lacks them, or a person says so. Throws a UsageError,
 * SourceError, LockError or LogError.
 */
export async function forgetRows(path: string, options: LogOptions, context: CliContext): Promise<void> {
  const { keys: file, run: named, from, id } = options
  if ((file === undefined) === (named === undefined) || (from === undefined) !== (id === undefined))
    throw new UsageError('log_options')
  const keys = new Set(file === undefined ? [] : await keysIn(file))
  const tell = tellOf(path, context)
  await workOn(path, options, context, async write => {
    const runs = new Set<string>()
    const checkpoint = await replay(path, {}, ({ line }) => void runs.add(line.run))
    const run = runNamed(path, named, runs, checkpoint.opening)
    const isNamed = ({ run: of, key = '' }: ResultLine) => (run === undefined ? keys.has(key) : run === of)
    const fates = await fatesOf(path, isNamed)
    let unlike = from // an export that shows no record of the log
    for await (const shown of from === undefined ? [] : exportRows(from, options, context.stdin))
      for (const { id = '' } of shown) {
        const fate = fateOf(fates, id)
        if (fate !== gone) unlike = undefined
        if (fate === due) fates.set(recordFingerprint(id), stays)
      }
    const unknown = [...keys].filter(key => checkpoint.get(key, '') === undefined)
    const left = new Set(unknown.map(key => `${key} (not in the log)`))
    const numbers = new KeyTable() // of the lines to forget, by the names of their rows
    for await (const lines of readResultLines(path))
      for (const { line, number } of lines) {
        const { key = '', status = 'duplicate', record_id } = line
        const isGuess = from && line.by_hand && !('export' in line) // its id may be wrong: `resolve` corrects it
        const fate = givesRecord(line) && !isGuess ? fateOf(fates, record_id) : stays
        const name = fingerprint(key)
        if (fate === due && numbers.get(name) === undefined) numbers.set(name, number)
        if (fate === due || fate === gone) continue
        if (unlike !== undefined && givesRecord(line))
          throw new UsageError('export_of_others', { path: unlike })
        const isOver = !givesRecord(line) && checkpoint.get(key, '')?.status === 'settled'
        if (status !== 'duplicate' && isNamed(line) && !isOver)
          left.add(`${key} (${isGuess ? 'settled by hand: rowlift resolve --replace' : statusWord(status)})`)
      }
    const { size: count } = numbers
    const isDue = ({ line, number }: WholeLine) => numbers.get(fingerprint(line.key ?? '')) === number
    const forgotten = async function* () {
      for await (const lines of readResultLines(path)) yield lines.filter(isDue).map(({ line }) => line)
    }
    if (count > 0) await writeRecords(forgotten(), context)
    if (left.size > 0) tell(`${rows(left.size)} left alone: ${listed([...left])}`)
    if (count === 0) return tell('nothing to forget')
    if (write === undefined) throw new UsageError('forget_unconfirmed', { log: path, rows: count })
    await write(checkpoint, { command: 'forget' }, async function* (own) {
      for await (const lines of forgotten())
        for (const line of lines) {
          const { record_id } = line
          const identity = identityIn(line as RowIdentity)
          yield JSON.stringify({ ...own, ...identity, status: 'forgotten', record_id, by_hand: true })
        }
    })
    tell(`${rows(count)} forgotten; the next import sends them again`)
  })
}

/** The keys in a file, each on a line. Throws a UsageError. */
async function keysIn(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8').catch(error => {
    throw new UsageError('file_unreadable', { what: 'keys file', path, reason: reasonOf(error) })
  })
  return text.split(/\r?\n/).flatMap(line => line.replace('\ufeff', '').trim() || [])
}

/** The records of a log, in 17 to 19 bytes each. All rows that share a record go together. */
async function fatesOf(path: string, isNamed: (line: ResultLine) => boolean): Promise<KeyTable> {
  const fates = new KeyTable()
  for await (const lines of readResultLines(path))
    for (const { line } of lines) {
      if (line.record_id === undefined) continue
      const record = recordFingerprint(line.record_id)
      const before = fates.get(record) ?? gone
      if (line.status === 'forgotten') fates.set(record, gone)
      else if (line.status === 'existing') fates.set(record, found)
      else if (before !== found && before !== due) fates.set(record, isNamed(line) ? due : stays)
    }
  return fates
}

const fateOf = (fates: KeyTable, record = ''): number => fates.get(recordFingerprint(record)) ?? gone
