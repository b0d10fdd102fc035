import { basename } from 'node:path'
import { verifyOptions } from '../../app/command-options.ts'
import { exitCodes } from '../../app/exit-code.ts'
import { checkReportFile, pageMark, writePage } from '../../app/page.ts'
import { pathIn, writeTexts } from '../../app/ports.ts'
import { required } from '../../app/resolve-options.ts'
import { verify } from '../../app/service-export/verify.ts'
import { resolveLink } from '../../journal/result-log.ts'
import { UsageError } from '../../model/errors.ts'
import { pageWritten } from '../../report/command-output.ts'
import { visible } from '../../report/text.ts'
import {
  describeVerified,
  verificationJson,
  verificationPage,
  verificationTables,
} from '../../report/verification.ts'
import { portsOf, type Run, tell } from '../context.ts'
import { parseFlags } from '../settings-sources.ts'

/** `rowlift verify`: compares a log with an export of the service; returns the exit code. Throws a UsageError, SourceError or LogError. */
export const verifyCommand: Run = async ({ positionals: [named, ...more], flags }, context) => {
  const { stdout, stdoutIsTerminal, stderr, clock, version } = context
  const given = parseFlags(verifyOptions, flags, context)
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
