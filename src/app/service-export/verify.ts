import { stat } from 'node:fs/promises'
import { replay } from '../../journal/checkpoint.ts'
import { readResultLines } from '../../journal/result-log.ts'
import { UsageError } from '../../model/errors.ts'
import type { Verification } from '../../report/verification.ts'
import type { verifyOptions } from '../command-options.ts'
import type { OptionValues } from '../option-values.ts'
import { checkLogExists } from '../paths.ts'
import { type Ports, streamsOf } from '../ports.ts'
import { firstOpening } from '../prepare.ts'
import { Comparison } from './comparison.ts'
import { exportRows } from './export-rows.ts'
import { importAgain } from './import-again.ts'
import { Matcher } from './matcher.ts'

type Given = OptionValues<typeof verifyOptions> & { readonly against: string }

/** Compares the records of a log with an export of the service. Throws a UsageError or a SourceError. */
export async function verify(path: string, given: Given, ports: Ports): Promise<Verification> {
  await checkLogExists(path)
  const found = await stat(given.against).catch(() => undefined) // what is not there is told below
  if (found?.isFIFO()) throw new UsageError('bad_values', { faults: [['--against', 'must be a file']] }) // it is read several times
  const { record = 'contact' } = (await firstOpening(path)) ?? {}
  const matcher = new Matcher(given.match ?? [], record, given.country)
  const compared = new Comparison(matcher)
  const { opening, inDoubt } = await replay(path, {}, ({ line }) => compared.addLine(line))
  const rows = () => exportRows(given.against, given, streamsOf(ports).stdin)
  for await (const batch of rows()) for (const row of batch) compared.addRow(row)
  if (given.match && opening) await importAgain(path, opening, ports, compared.addAgain)
  matcher.checkPaths(record)
  const counts = { ...compared.counts(), in_doubt: inDoubt }
  return {
    counts,
    isCompared: given.match !== undefined,
    lists: () => ({
      missing: counts.missing === 0 ? [] : told(readResultLines(path), compared.missing()),
      unknown: counts.unknown === 0 ? [] : told(rows(), compared.unknown()),
      different: counts.different === 0 ? [] : told(rows(), compared.different()),
    }),
  }
}

async function* told<T>(batches: AsyncIterable<readonly T[]>, tell: (item: T) => readonly object[]) {
  for await (const batch of batches) for (const item of batch) for (const each of tell(item)) yield each
}
