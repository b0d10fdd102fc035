import type { Run } from '../../cli/command.ts'
import { portsOf, tell } from '../../cli/context.ts'
import type { RunEvent } from '../../model/events.ts'
import { pathIn } from '../../platform/process-info.ts'
import { exitCodes } from '../../run/exit-code.ts'
import { writeTexts } from '../../run/ports.ts'
import { importOptions } from '../../settings/options.ts'
import { mergeSettings, parseSettings } from '../../settings/settings.ts'
import { readSettings } from '../../settings/settings-sources.ts'
import { examine } from './doctor.ts'
import { findingLine } from './text.ts'

/** `rowlift doctor`: tells what each check finds as it ends; returns the exit code. Throws a UsageError. */
export const runDoctor: Run = async ({ positionals, flags }, context) => {
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
