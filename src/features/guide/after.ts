import { basename, dirname, join, parse } from 'node:path'
import { stringify } from 'yaml'
import { shellWord } from '../../output/text.ts'
import { windowsWord } from '../../platform/shell-words.ts'
import { flagOf } from '../../settings/options.ts'
import type { Settings } from '../../settings/settings.ts'
import { isThere } from '../../store/files/whole-lines.ts'
import type { PlacedFinding } from '../doctor/doctor.ts'
import { resolveCommand } from '../reconcile/command.ts'
import { rowsOf } from './corrections.ts'
import type { Guide } from './guide.ts'
import { planOf, settingsOfFile } from './import-file.ts'
import { describeError, describeOwn } from './language.ts'
import { linesOf, unread } from './run-command.ts'
import { recordView } from './samples.ts'
import { CallError, type Of } from './server.ts'
import type { FileNames } from './service.ts'

const mostChanges = 1_000
const mostDoubts = 200
/** Those before the fields of a list of changed rows. */
const ownColumns = 7
const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi

/** What is left to do after a run, from its files. */
export async function afterView({ file }: Of, guide: Guide) {
  const { jobs, service } = guide
  const names = service.namesOf(file)
  const log = await jobs.facts.log(names.log)
  const rejected = await jobs.facts.rows(names.rejects)
  return {
    report: (await isThere(names.report)) ? basename(names.report) : null,
    rejects: rejected ? { name: basename(names.rejects), rows: rejected } : null,
    doubts: log !== undefined && log.counts.in_doubt > 0 ? await doubtsIn(names.log, guide) : [],
    changes: await changesIn(names.changes),
    nightly: service.isNamed() ? await nightlyImport(names, guide) : null,
  }
}

/** Settles a row in doubt by the id of its record, which may be in an address, or null if there is none. Throws a CallError. */
export async function settle(
  { file, key, recordId }: Of & { readonly key: string; readonly recordId: string | null },
  { service, context }: Guide,
) {
  const id = recordId?.match(uuid)?.at(-1)
  if (recordId !== null && id === undefined)
    throw new CallError('no_id', 'there is no id of a record in this address')
  const flags = id === undefined ? { key, notCreated: true } : { key, recordId: id }
  await linesOf(resolveCommand, [service.namesOf(file).log], flags, context)
  return {}
}

async function nightlyImport(names: FileNames, { service, context }: Guide) {
  const { report, changes } = names
  const { linked: plan } = await planOf(names) // such files are imported together
  const own = {
    ...(plan ? { plan } : { report, changes }),
    approval: undefined,
    quiet: true,
    config: undefined,
  }
  const settingsWith = async (token: object) =>
    plan ? service.settings({ ...own, ...token }) : settingsOfFile(names, { ...own, ...token }, service)
  const settings = await settingsWith({})
  const hasToken = settings.has('tokenFile') || settings.has('tokenCommand')
  const all = hasToken ? settings : await settingsWith({ tokenFile: nightlyNames(names).token })
  return nightlyOf(names, all, context.program)
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

/** The checks of `rowlift doctor` for a file, with the settings of a run. */
export async function probeService({ file }: Of, { service, context }: Guide) {
  const names = service.namesOf(file)
  const { source, mapping, log: results } = names
  const { linked: plan } = await planOf(names)
  const paths = plan ? { plan } : { mapping, results }
  const settings = service.settings({ ...paths, ...(await service.addressFor(results)), config: undefined }) // its values are there
  const flags = Object.fromEntries([...settings].map(([option, { value }]) => [option, value]))
  const variables = Object.entries(context.environment).filter(([name]) => !name.startsWith('ROWLIFT_'))
  const environment = { ...Object.fromEntries(variables), ROWLIFT_TOKEN: service.token() }
  const { findings, messageOf } = await import('../doctor/doctor.ts') // few pages test the way
  const input = { positionals: plan ? [] : [source], flags }
  const lines: { readonly isGood: boolean; readonly text: string }[] = []
  for await (const finding of findings(input, { ...context, environment, stderr: unread() }))
    lines.push({ isGood: finding.state === 'ok', text: lineOf(finding, messageOf(finding)) })
  return { lines }
}

/** The finding in the language of the page; `message` is its English text. */
function lineOf({ check, state, facts, error }: PlacedFinding, message: string): string {
  const own =
    error === undefined ? describeOwn(`finding_${check}`, { ...facts, state }) : describeError(error)
  return `${describeOwn(`check_${check}`, {}) ?? check}: ${own ?? message}`
}

/** The paths of the settings and of the token, which a person puts there. */
function nightlyNames({ mapping }: FileNames) {
  const base = join(dirname(mapping), parse(mapping).name)
  return { settings: `${base}.settings.yaml`, token: `${base}.token` }
}

/** Settings and schedules of the same import every night at 2:15. `program` are the words that start the command. */
export function nightlyOf(names: FileNames, settings: Settings, program: readonly string[]) {
  const { settings: config } = nightlyNames(names)
  const name = parse(names.mapping).name.replaceAll(/[^\w.-]/g, '-')
  const values = [...settings].map(([option, { value }]) => [flagOf(option), value])
  const sources = settings.has('plan') ? [] : [names.source]
  const words = [...program, 'import', ...sources, '--config', config]
  const line = words.map(shellWord).join(' ')
  const task = words.map(windowsWord).join(' ')
  return {
    settings: `# ${config}\n${stringify(Object.fromEntries(values))}`,
    cron: `15 2 * * * ${line.replaceAll('%', '\\%')}\n`,
    systemd: units(name, words.map(systemdWord).join(' ')),
    taskScheduler: `schtasks /Create /SC DAILY /ST 02:15 /TN ${windowsWord(`rowlift ${name}`)} /TR ${windowsWord(task)}\n`,
  }
}

/** A word of ExecStart: quoted, without the signs by which systemd puts in values. */
const systemdWord = (word: string) =>
  `"${word.replaceAll(/["\\]/g, '\\$&').replaceAll('%', '%%').replaceAll('$', '$$$$')}"`

const units = (name: string, command: string) => `# ~/.config/systemd/user/rowlift-${name}.service
[Service]
Type=oneshot
ExecStart=${command}
SuccessExitStatus=143
TimeoutStopSec=150
KillMode=mixed

# ~/.config/systemd/user/rowlift-${name}.timer, then: systemctl --user enable --now rowlift-${name}.timer
[Timer]
OnCalendar=*-*-* 02:15
Persistent=true

[Install]
WantedBy=timers.target
`
