// An approval: what a dry run checked, which a run must find unchanged.
import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { hashFile } from '../../input/bytes.ts'
import type { CheckedSource } from '../../input/open.ts'
import { fileBehind } from '../../input/packed/archive.ts'
import { readingOf } from '../../input/source.ts'
import { LocatedYaml } from '../../mapping/located-yaml.ts'
import { type ApprovalDifference, UsageError } from '../../model/errors.ts'
import type { PlannedCall } from '../../model/row.ts'
import { readUserFile } from '../../model/user-file.ts'
import { isObject, type JsonObject } from '../../model/values.ts'
import { rowCounts } from '../../report/command-end.ts'
import type { Tally } from '../../report/tally.ts'
import { expectationOptions } from '../expectation-options.ts'
import { checkDistinct, placeOf } from '../file-conflicts.ts'
import type { StepLookups } from '../lookups.ts'
import { flagOf } from '../options.ts'
import { userName } from '../ports.ts'
import { type Approval, fileOf, type PreparedImport } from '../prepare.ts'
import { required } from '../resolve-options.ts'
import { positionOf } from './log-position.ts'

const mostBodies = 10
/** The options that decide which calls are made, where and with what, and the exit code. */
const decisive = [
  ...['baseUrl', 'organizationId', 'apiVersion', 'useCreated', 'delivery', 'inDoubt', 'responses'],
  ...['trustEncoding', 'limit', 'maxFailures', 'nearDuplicates', ...Object.keys(expectationOptions)],
]

/** With its approval, where there is one. Reads sources and lookups to their end. Throws a UsageError. */
export async function withApproval(prepared: PreparedImport, steps?: StepLookups): Promise<PreparedImport> {
  const { settings, options, sources } = prepared
  const { approval: path, ledger, dryRun } = settings
  if (path === undefined) return prepared
  const log = fileOf(options.results)
  const pipe = sources.find(({ size }) => size === undefined)?.path
  if (log === undefined || pipe !== undefined)
    throw new UsageError('not_approvable', { what: ledger ? '--ledger' : (pipe ?? '--results -') })
  const rejects = { path: options.rejects, role: 'file of rejected rows' }
  await checkDistinct([rejects], [{ path, role: 'approval' }])
  const file = dryRun ? undefined : await readApproval(path)
  const { part, ...common } = await documentOf(prepared, log, steps)
  const parts = [file?.content.imports].flat().filter(isObject)
  const approved = parts.find(({ step }) => step === part.step) ?? {}
  let sent = 0
  const read = async () => {
    const { position, calls } = await positionOf(log, approved.log ?? {}, file?.sha256)
    sent = calls
    return { ...common, imports: [{ ...part, log: { name: basename(log), ...position } }] }
  }
  const now = dryRun ? await read() : { ...common, imports: [part] }
  const differences = async () => [...differencesOf({ ...file?.content, imports: [approved] }, await read())]
  const approval = { sha256: file?.sha256, now, bodies: [], sent: () => sent, ...(file && { differences }) }
  return { ...prepared, sources: sources.map(checkedAsRead), approval }
}

/** A reader looks at its end only whether its file is what was found: here no row of another file may go out. */
const checkedAsRead = (source: CheckedSource): CheckedSource => ({
  ...source,
  async *rows(...how) {
    for await (const batch of source.rows(...how)) {
      await source.check?.()
      yield batch
    }
  },
})

/** Throws a UsageError where imports are not as they were approved. */
export async function checkApproved(imports: readonly PreparedImport[]): Promise<void> {
  const differences: ApprovalDifference[] = []
  for (const { approval } of imports) differences.push(...((await approval?.differences?.()) ?? []))
  const path = imports[0]?.settings.approval ?? ''
  if (differences.length > 0) throw new UsageError('approval_differs', { path, differences })
}

/** Notes a call that a dry run would send. */
export function noteCall({ bodies }: Approval, { identity: { source, row }, body }: PlannedCall): void {
  if (bodies.length >= mostBodies) return
  bodies.push({ source: basename(source), row, sha256: sha256Of(JSON.stringify(body)) })
}

/** What a dry run writes; what became of its rows is told only. */
export function contentOf({ now, bodies: first_bodies }: Approval, tally: Tally) {
  const rows = { ...rowCounts(tally), omitted: tally.losses.counts().omitted }
  return { ...now, imports: now.imports.map(each => ({ ...each, rows, first_bodies })) }
}

async function readApproval(path: string): Promise<{ sha256: string; content: JsonObject }> {
  const bytes = await readUserFile('dry-run approval', path)
  const { content } = new LocatedYaml(path, `${bytes}`) // it says where what is no JSON goes wrong
  return { sha256: sha256Of(bytes), content: isObject(content) ? content : {} }
}

const sha256Of = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')

/** What is approved, but for the log. */
async function documentOf(prepared: PreparedImport, log: string, steps: StepLookups | undefined) {
  const { options, settings, mapping, ports } = prepared
  required(options.baseUrl, 'base-url')
  required(options.organizationId, 'organization-id')
  const [sources, lookups]: [object[], object[]] = [[], []]
  for (const path of new Set(prepared.lookupFiles)) {
    const growsAlong = (await placeOf(path)) === (await placeOf(log)) || (await steps?.withLog(path))
    if (!growsAlong) lookups.push(await fileFacts(await fileBehind(path))) // first: they were read, and a source will tell when it changes
  }
  for (const { path } of prepared.sources) {
    const file = await fileBehind(path)
    const reading = readingOf(path, options.sourceSettings) + path.slice(file.length) // in an archive
    sources.push({ ...(await fileFacts(file)), read_as: reading })
  }
  const holds = settings.nearDuplicates === 'hold' ? 'hold' : undefined // others are only told
  const all = { ...settings, ...options, delivery: options.mode, nearDuplicates: holds }
  return {
    ...{ rowlift: ports.version, schema_version: 1, at: ports.clock.now().toISOString() },
    by: `${userName()}@${ports.host}`,
    plan: settings.plan && (await fileFacts(settings.plan)),
    part: {
      step: await steps?.withLog(log),
      settings: Object.fromEntries(decisive.map(each => [flagOf(each), Reflect.get(all, each)])),
      record: mapping.record,
      mapping: { name: basename(mapping.file), sha256: mapping.sha256 },
      ...{ sources, lookups },
    },
  }
}

/** By its base name, as it may be elsewhere; without a hash where it is not there. */
const fileFacts = async (path: string) => ({
  name: basename(path),
  ...(await hashFile(path).catch(() => ({ bytes: 0, sha256: null }))),
})

/** A file goes by its content, not by its name. */
function* differencesOf(then: JsonObject, found: JsonObject): Generator<ApprovalDifference> {
  const [before, after] = [comparedIn(then), comparedIn(found)]
  const content = (value: unknown) =>
    JSON.parse(JSON.stringify(value ?? null, (key, part) => (key === 'name' ? undefined : part)))
  const text = (value: unknown) => JSON.stringify(value) ?? 'nothing'
  for (const what of Object.keys({ ...before, ...after }))
    if (!isDeepStrictEqual(content(before[what]), content(after[what])))
      yield { what, approved: text(before[what]), now: text(after[what]) }
}

function comparedIn({ schema_version, rowlift, plan, imports }: JsonObject): JsonObject {
  const [{ step, settings, record, mapping, sources, lookups, log }] = imports as [JsonObject]
  const numbered = (name: string, list: unknown) =>
    Object.values(Object(list)).map((each, at) => [`${name} ${at + 1}`, each] as const)
  const parts = Object.entries({ ...Object(settings), record, mapping, log })
  const all = [...parts, ...numbered('source', sources), ...numbered('lookup', lookups)]
  const ofStep = step === undefined ? '' : ` of the step ${step}`
  const named = Object.fromEntries(all.map(([what, value]) => [what + ofStep, value]))
  return { schema_version, rowlift, plan, ...named }
}
