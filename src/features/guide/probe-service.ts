import { doctorCommand } from '../doctor/command.ts'
import type { Guide } from './guide.ts'
import { planOf } from './linked-steps.ts'
import { linesOf } from './run-command.ts'

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
  const lines = await linesOf(doctorCommand, plan ? [] : [source], named, { ...context, environment })
  return lines.map(line => {
    const { check, state, message } = JSON.parse(line)
    return { isGood: state === 'ok', text: `${check}: ${message}` }
  })
}
