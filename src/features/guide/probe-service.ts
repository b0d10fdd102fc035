import type { PlacedFinding } from '../doctor/doctor.ts'
import type { Guide } from './guide.ts'
import { describeError, describeOwn } from './language.ts'
import { planOf } from './linked-steps.ts'
import { sink } from './run-command.ts'

/** The checks of `rowlift doctor` for a file, with the settings of a run. */
export async function probeService({ jobs, service, context }: Guide, file: string) {
  jobs.checkIdle()
  const names = service.namesOf(file)
  const { source, mapping, log: results } = names
  const plan = await planOf(names)
  const address = await service.addressFor(results)
  const settings = await service.settings({ ...(plan ? { plan } : { mapping, results }), ...address })
  const flags = Object.fromEntries([...settings].map(([option, { value }]) => [option, value]))
  const { config: _file, ...named } = flags // its values are there
  const variables = Object.entries(context.environment).filter(([name]) => !name.startsWith('ROWLIFT_'))
  const environment = { ...Object.fromEntries(variables), ROWLIFT_TOKEN: service.token }
  const input = { positionals: plan ? [] : [source], flags: named }
  const { findings, messageOf } = await import('../doctor/doctor.ts') // few pages test the way
  const lines: { readonly isGood: boolean; readonly text: string }[] = []
  for await (const finding of findings(input, { ...context, environment, stderr: sink() }))
    lines.push({ isGood: finding.state === 'ok', text: lineOf(finding, messageOf(finding)) })
  return lines
}

/** The finding in the language of the page; `message` is its English text. */
function lineOf({ check, state, facts, error }: PlacedFinding, message: string): string {
  const own =
    error === undefined ? describeOwn(`finding_${check}`, { ...facts, state }) : describeError(error)
  return `${describeOwn(`check_${check}`, {}) ?? check}: ${own ?? message}`
}
