import { examine } from '../../app/doctor.ts'
import { exitCodes } from '../../app/exit-code.ts'
import { importOptions } from '../../app/options.ts'
import { pathIn, writeTexts } from '../../app/ports.ts'
import { mergeSettings, parseSettings } from '../../app/settings.ts'
import type { RunEvent } from '../../model/events.ts'
import { findingLine } from '../../report/doctor-text.ts'
import { portsOf, type Run, tell } from '../context.ts'
import { readSettings } from '../settings-sources.ts'

/** `rowlift doctor`: tells what each check finds as it ends; returns the exit code. Throws a UsageError. */
export const doctorCommand: Run = async ({ positionals, flags }, context) => {
  const { stdout, stdoutIsTerminal, stderr } = context
  const { outside, inFile } = await readSettings(importOptions, flags, context)
  const settings = parseSettings(importOptions, mergeSettings(outside, inFile))
  const emit = (event: RunEvent) => {
    if (event.type === 'token_command_said') tell(stderr, `${event.program}: ${event.line}\n`)
  }
  const sources = positionals.map(path => pathIn(context, path))
  let exitCode: number = exitCodes.finished
  for await (const finding of examine({ sources, settings, ports: { ...portsOf(context), emit } })) {
    await writeTexts([findingLine(finding, stdoutIsTerminal)], stdout)
    if (finding.state === 'fail') exitCode = exitCodes.someBad
  }
  return exitCode
}
