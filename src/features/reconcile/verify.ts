import { stat } from 'node:fs/promises'
import { UsageError } from '../../model/errors.ts'
import { usualRecordType } from '../../records/kinds.ts'
import { checkLogExists } from '../../run/paths.ts'
import { type Ports, streamsOf } from '../../run/ports.ts'
import { firstOpening } from '../../run/prepare.ts'
import type { OptionValues } from '../../settings/option-values.ts'
import { replay } from '../../store/files/checkpoint.ts'
import { readResultLines } from '../../store/files/result-log.ts'
import { Comparison, NumberSet } from './comparison.ts'
import { exportRows } from './export-rows.ts'
import { importAgain } from './import-again.ts'
import { Matcher } from './matcher.ts'
import type { verifyOptions } from './options.ts'
import type { Verification } from './verification-text.ts'

type Options = OptionValues<typeof verifyOptions> & { readonly against: string }

/** Compares the records of a log with an export of the service. Throws a UsageError or a SourceError. */
export async function verify(path: string, options: Options, ports: Ports): Promise<Verification> {
  await checkLogExists(path)
  const file = await stat(options.against).catch(() => undefined) // reading it reports what is wrong
  if (file?.isFIFO()) throw new UsageError('bad_values', { faults: [['--against', 'must be a file']] }) // it is read several times
  const { record = usualRecordType } = (await firstOpening(path)) ?? {}
  const matcher = new Matcher(options.match ?? [], record, options.country)
  const compared = new Comparison(matcher)
  const { opening, inDoubt } = await replay(path, {}, ({ line }) => compared.addLine(line))
  const rows = () => exportRows(options.against, options, streamsOf(ports).stdin)
  for await (const batch of rows()) for (const row of batch) compared.addRow(row)
  if (options.match && opening) await importAgain(path, opening, ports, compared.addAgain)
  matcher.checkPaths(record)
  const counts = { ...compared.counts(), in_doubt: inDoubt }
  return {
    counts,
    isCompared: options.match !== undefined,
    lists: () => ({
      missing: counts.missing === 0 ? [] : listed(readResultLines(path), compared.missing),
      unknown: counts.unknown === 0 ? [] : listed(rows(), compared.unknown),
      different: counts.different === 0 ? [] : listed(rows(), compared.different),
    }),
  }
}

async function* listed<T>(
  batches: AsyncIterable<readonly T[]>,
  entriesOf: (item: T, once: NumberSet) => readonly object[],
) {
  const once = new NumberSet()
  for await (const batch of batches) for (const item of batch) yield* entriesOf(item, once)
}
