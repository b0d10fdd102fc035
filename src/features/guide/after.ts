import { basename } from 'node:path'
import { isThere } from '../../store/files/whole-lines.ts'
import { resolveCommand } from '../reconcile/command.ts'
import { rowsOf } from './corrections.ts'
import type { Guide } from './guide.ts'
import { planOf } from './linked-steps.ts'
import { nightlyNames, nightlyOf } from './nightly.ts'
import { linesOf } from './run-command.ts'
import { recordView } from './samples.ts'
import { CallError } from './server.ts'
import type { FileNames } from './service.ts'
import type { Of } from './views.ts'

const mostChanges = 1_000
const mostDoubts = 200
/** Those before the fields of a list of changed rows. */
const ownColumns = 7
const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi

/** A row in doubt, with the id of its record, or null if there is none. */
export interface DoubtOf extends Of {
  readonly key: string
  readonly recordId: string | null
}

/** What is left to do after a run, from its files. */
export async function afterView(file: string, guide: Guide) {
  const { jobs, service } = guide
  const names = service.namesOf(file)
  const log = await jobs.facts.log(names.log)
  const rejected = await jobs.facts.rows(names.rejects)
  return {
    report: (await isThere(names.report)) ? basename(names.report) : null,
    rejects: rejected ? { name: basename(names.rejects), rows: rejected } : null,
    doubts: log !== undefined && log.counts.in_doubt > 0 ? await doubtsIn(names.log, guide) : [],
    changes: await changesIn(names.changes),
    nightly: service.isNamed ? await nightlyImport(names, guide) : null,
  }
}

/** Settles a row in doubt; the id may be in an address. Throws a CallError. */
export async function settle({ file, key, recordId }: DoubtOf, { jobs, service, context }: Guide) {
  jobs.checkIdle()
  const id = recordId?.match(uuid)?.at(-1)
  if (recordId !== null && id === undefined)
    throw new CallError('no_id', 'there is no id of a record in this address')
  const flags = id === undefined ? { key, notCreated: true } : { key, recordId: id }
  await linesOf(resolveCommand, [service.namesOf(file).log], flags, context)
  return {}
}

async function nightlyImport(names: FileNames, { service, context }: Guide) {
  const { mapping, log: results, rejects, report, changes } = names
  const plan = await planOf(names) // linked files are imported together
  const paths = plan ? { plan } : { mapping, results, rejects, report, changes }
  const settings = await service.settings({ ...paths, approval: undefined, quiet: true, config: undefined })
  const hasToken = settings.has('tokenFile') || settings.has('tokenCommand')
  const token = hasToken ? [] : [['tokenFile', { value: nightlyNames(names).token, from: '' }] as const]
  return nightlyOf(names, new Map([...settings, ...token]), context.program)
}

async function doubtsIn(log: string, { context }: Guide) {
  const lines = await linesOf(resolveCommand, [log], {}, context)
  return lines.slice(0, mostDoubts).map(line => {
    const { key, row, body }: { key: string; row: number; body: unknown } = JSON.parse(line)
    return { key, row, record: recordView(body) }
  })
}

/** The first rows of a list of changed rows. */
async function changesIn(path: string) {
  return (await rowsOf(path)).slice(0, mostChanges).map(row => {
    const cells = [...row.cells()].map(([name, cell]) => [name, String(cell)] as const)
    const [key, id, source, number, , status, note] = cells.slice(0, ownColumns).map(([, cell]) => cell)
    const fields = cells.slice(ownColumns).flatMap(([name, cell]) => (cell === '' ? [] : `${name}: ${cell}`))
    const isChanged = status === 'changed'
    const about = [isChanged ? '' : status, note, ...fields].filter(Boolean).join('; ')
    return { source: basename(source ?? ''), row: Number(number), key: key ?? '', id: id ?? '', about }
  })
}
