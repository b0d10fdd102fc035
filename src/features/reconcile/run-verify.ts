import { basename } from 'node:path'
import type { Run } from '../../cli/command.ts'
import { portsOf, tell } from '../../cli/context.ts'
import { UsageError } from '../../model/errors.ts'
import { visible } from '../../output/text.ts'
import { pageWritten } from '../../output/words/notices.ts'
import { pathIn } from '../../platform/process-info.ts'
import { exitCodes } from '../../run/exit-code.ts'
import { checkReportFile, pageMark, writePage } from '../../run/page.ts'
import { writeTexts } from '../../run/ports.ts'
import { required } from '../../run/resolve-options.ts'
import { resolveLink } from '../../store/files/result-log.ts'
import type { verifyOptions } from './options.ts'
import {
  describeVerified,
  verificationJson,
  verificationPage,
  verificationTables,
} from './verification-text.ts'
import { verify } from './verify.ts'

/** `rowlift verify`: compares a log with an export of the service; returns the exit code. Throws a UsageError, SourceError or LogError. */
export const runVerify: Run<typeof verifyOptions> = async (
  { positionals: [named, ...more], values: given },
  context,
) => {
  const { stdout, stdoutIsTerminal, stderr, clock, version } = context
  if (named === undefined || more.length > 0) throw new UsageError('one_log_only', { command: 'verify' })
  const path = await resolveLink(pathIn(context, named))
  const against = required(given.against, 'against')
  if (given.report !== undefined) await checkReportFile(given.report, [path, against])
  const verification = await verify(path, { ...given, against }, portsOf(context))
  const text = stdoutIsTerminal ? verificationTables : verificationJson
  await writeTexts(() => text(verification), stdout)
  const told = describeVerified(named, against, verification)
  if (given.report !== undefined) {
    const facts = { title: basename(path), createdAt: clock.now().toISOString(), version }
    await writePage(given.report, pageMark + (await verificationPage(facts, against, verification)))
    told.push(pageWritten(given.report))
  }
  tell(stderr, told.map(line => `${visible(line)}\n`).join(''))
  const { missing, different } = verification.counts
  return missing + different > 0 ? exitCodes.someBad : exitCodes.finished
}
