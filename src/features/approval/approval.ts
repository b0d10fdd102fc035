// An approval: a dry run writes what it checked, and a run compares it.
import { createHash } from 'node:crypto'
import { userInfo } from 'node:os'
import { basename } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { fileOnDisk, hashFile } from '../../input/bytes.ts'
import type { CheckedSource } from '../../input/open.ts'
import { readingOf, standardInput } from '../../input/source.ts'
import { type ApprovalDifference, UsageError } from '../../model/errors.ts'
import { readUserFile } from '../../model/user-file.ts'
import { isObject, type JsonObject } from '../../model/values.ts'
import { checkDistinct, namedFiles, placeOf } from '../../run/file-conflicts.ts'
import type {
  Approval,
  PositionFacts,
  PreparedImport,
  StepLookups,
  StorePosition,
} from '../../run/prepared-import.ts'
import { required } from '../../run/resolve-options.ts'
import { LocatedYaml } from '../../settings/located-yaml.ts'
import { expectationOptions, flagOf } from '../../settings/options.ts'
import { replay } from '../../store/files/checkpoint.ts'
import { endsCall } from '../../store/files/lines.ts'

const mostBodies = 10
/** Options that decide which calls are made, with what, and the exit code. */
const decisive = [
  ...['baseUrl', 'organizationId', 'apiVersion', 'useCreated', 'delivery', 'inDoubt', 'responses'],
  ...['id', 'match', 'country'],
  ...['trustEncoding', 'limit', 'maxFailures', 'nearDuplicates', ...Object.keys(expectationOptions)],
]

/** Adds the approval that the settings ask for. Reads sources and lookups to their end. Throws a UsageError. */
export async function withApproval(
  prepared: PreparedImport,
  path: string,
  steps?: StepLookups,
): Promise<PreparedImport> {
  const { settings, options, sources, store } = prepared
  const { dryRun, limit } = settings
  const { results = standardInput, rejects } = options
  const log = store === undefined ? results : undefined
  const pipe = sources.find(({ size }) => size === undefined)?.path
  if (log === standardInput || pipe !== undefined)
    throw new UsageError('not_approvable', { what: pipe ?? '--results -' })
  if (store !== undefined && limit !== undefined) throw new UsageError('limit_not_approvable')
  const written = { 'file of rejected rows': rejects, 'list of changed rows': settings.changes }
  await checkDistinct(namedFiles(undefined, written), [{ path, role: 'approval' }])
  const file = dryRun ? undefined : await readUserFile('dry-run approval', path)
  const content = file && new LocatedYaml(path, `${file}`).content // its error has the place of the fault
  const approved = isObject(content) ? content : {}
  const sha256 = file && sha256Of(file)
  const document = await documentOf(prepared, log, steps)
  const [part] = document.imports
  const first_bodies: object[] = []
  let calls = 0
  const approval: Approval = {
    sha256,
    sentBefore: () => calls,
    async differences(begun) {
      if (sha256 === undefined) return []
      const before = Object(importIn(approved, part.step).log)
      const compare = async (at: StorePosition) => positionFacts(at, before, sha256, !begun)
      const now = store?.withPosition
        ? { facts: await (begun ? compare(begun) : store.withPosition(prepared, compare)), calls }
        : await logFacts(log ?? '', before, sha256)
      calls = now.calls
      return differencesBetween(approved, { ...document, imports: [{ ...part, log: now.facts }] }, part.step)
    },
    noteCall({ identity: { source, row }, body }) {
      if (first_bodies.length < mostBodies)
        first_bodies.push({ source: basename(source), row, sha256: sha256Of(JSON.stringify(body)) })
    },
    contentAt(tally) {
      const { row_counts, omitted, kept } = tally.fields
      return { ...document, imports: [{ ...part, rows: { ...row_counts, omitted, kept }, first_bodies }] }
    },
  }
  return { ...prepared, sources: sources.map(checkedAsRead), approval }
}

/** Checks with each batch, and with all bytes that workers read, that the file is unchanged; other readers look only at their end. */
function checkedAsRead(source: CheckedSource): CheckedSource {
  const { file } = source
  async function* checked<Part>(parts: AsyncIterable<Part>) {
    for await (const part of parts) {
      await source.check?.()
      yield part
    }
  }
  return {
    ...source,
    rows: (...how) => checked(source.rows(...how)),
    ...(file && { file: { ...file, bytesFrom: start => checked(file.bytesFrom(start)) } }),
  }
}

const sha256Of = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')

/** Makes the document of one import; the file of a plan has one document, with the imports of all its steps. */
async function documentOf(prepared: PreparedImport, log: string | undefined, steps: StepLookups | undefined) {
  const { options, settings, mapping, ports, lookupFiles, store, isStep } = prepared
  required(options.baseUrl, 'base-url')
  required(options.organizationId, 'organization-id')
  const growsAlong = async (path: string) =>
    (log !== undefined && (await placeOf(path)) === (await placeOf(log))) ||
    (await steps?.withLog(path)) !== undefined
  const lookupOf = async (path: string) => ((await growsAlong(path)) ? [] : fileFacts(await fileOnDisk(path)))
  const lookups = await Promise.all([...new Set(lookupFiles)].map(lookupOf)) // first: a source notices when it changes
  const sourceOf = async ({ path }: CheckedSource) => {
    const file = await fileOnDisk(path)
    const reading = readingOf(path, options.sourceSettings) + path.slice(file.length) // in an archive
    return { ...(await fileFacts(file)), read_as: reading }
  }
  const nearDuplicates = settings.nearDuplicates === 'hold' ? 'hold' : undefined // other values send the same calls
  const values: JsonObject = { ...settings, ...options, delivery: options.mode, nearDuplicates }
  const part = {
    step: log === undefined ? stepIn(settings.import, isStep) : await steps?.withLog(log),
    settings: Object.fromEntries(decisive.map(option => [flagOf(option), values[option]])),
    record: mapping.record,
    mapping: { name: basename(mapping.file), sha256: mapping.sha256 },
    sources: await Promise.all(prepared.sources.map(sourceOf)),
    lookups: lookups.flat(),
    existing: prepared.existing?.file,
    log:
      settings.dryRun &&
      (await (store?.withPosition?.(prepared, ({ facts }) => facts()) ?? factsOf(log ?? ''))),
  }
  return {
    ...{ rowlift: ports.version, schema_version: 1, at: ports.clock.now().toISOString() },
    by: `${userName()}@${ports.host}`,
    plan: settings.plan && (await fileFacts(settings.plan)),
    imports: [part] as const,
  }
}

const factsOf = async (log: string) => (await logFacts(log)).facts

/** The step of a plan that an import in a store is. */
const stepIn = (name: string | undefined, isStep: boolean) =>
  isStep ? name?.replace(/.*\//s, '') : undefined

/** Returns name, size and hash of a file, which may be in another folder; the hash is null if there is no file. */
const fileFacts = async (path: string) => ({
  name: basename(path),
  ...(await hashFile(path).catch(() => ({ bytes: 0, sha256: null }))),
})

/** Finds the import of a step in a document, which may be anything. */
const importIn = ({ imports }: JsonObject, step: string | undefined): JsonObject =>
  [imports]
    .flat()
    .filter(isObject)
    .find(part => part.step === step) ?? {}

/** Returns the values of a document that are compared, by their names in messages. */
function comparedIn(document: JsonObject, step: string | undefined): JsonObject {
  const { schema_version, rowlift, plan } = document
  const { settings, record, mapping, log, sources, lookups, existing } = importIn(document, step)
  const values = { ...Object(settings), record, mapping, log }
  for (const [name, files] of Object.entries({ source: sources, lookup: lookups, existing }))
    for (const [at, file] of [files ?? []].flat().entries()) values[`${name} ${at + 1}`] = file
  const ofStep = step === undefined ? '' : ` of the step ${step}`
  const named = Object.entries(values).map(([what, value]) => [what + ofStep, value])
  return { schema_version, rowlift, plan, ...Object.fromEntries(named) }
}

/** Compares two documents. A file is identified by its content, not by its name. */
function differencesBetween(approved: JsonObject, now: JsonObject, step?: string): ApprovalDifference[] {
  const [before, after] = [comparedIn(approved, step), comparedIn(now, step)]
  const content = (value: unknown) =>
    JSON.parse(JSON.stringify(value ?? null, (key, each) => (key === 'name' ? undefined : each)))
  const text = (value: unknown) => JSON.stringify(value) ?? 'nothing'
  return Object.keys({ ...before, ...after })
    .filter(what => !isDeepStrictEqual(content(before[what]), content(after[what])))
    .map(what => ({ what, approved: text(before[what]), now: text(after[what]) }))
}

/**
 * Returns where an import of a store is: as it was approved if only runs with this approval came after that, each of which began only
 * where it fitted. `mayJoin`: who joins an open run is checked by the store.
 */
async function positionFacts(
  { facts, runs, isOpen }: StorePosition,
  approved: PositionFacts,
  approval: string,
  mayJoin: boolean,
): Promise<PositionFacts> {
  const at = runs.findIndex(({ run }) => run === approved.run)
  const isKnown = approved.run === undefined || at >= 0
  const after = runs.slice(at + 1)
  const isOwn = after.length > 0 && after.every(run => run.approval === approval)
  return isKnown && (isOwn || (mayJoin && isOpen)) ? approved : facts()
}

type LogFacts = Partial<Record<'name' | 'sha256', string> & Record<'bytes' | 'under_way', number>>

/**
 * Describes a log by its whole lines, as a kill may tear the last one: as it was approved if only runs with this approval came
 * after that. Returns how many calls these made, too. Throws a UsageError.
 */
export async function logFacts(log: string, approved: LogFacts = {}, approval?: string) {
  const { bytes: upTo = Infinity } = approved
  const hash = createHash('sha256')
  const sha256 = () => hash.copy().digest('hex')
  let [bytes, underWay, calls] = [0, 0, 0]
  let [isReached, hasStrays] = [upTo === 0, false]
  const runs = new Set<string>() // with this approval
  const { orphans } = await replay(log, {}, ({ line, bytes: text }) => {
    if (bytes >= upTo) {
      if (line.rowlift !== undefined && line.approval === approval) runs.add(line.run)
      else if (runs.size === 0 && line.status === 'in_doubt') underWay += 1
      else if (line.command !== 'resolve') hasStrays ||= runs.size === 0 || line.rowlift !== undefined
      // between its runs a person may settle doubts
    }
    if (runs.has(line.run) && endsCall(line) && line.attempts !== 0) calls += 1
    hash.update(text).update('\n')
    bytes += text.length + 1
    if (bytes === upTo) isReached = sha256() === approved.sha256
  })
  const now = { name: basename(log), bytes, sha256: sha256(), under_way: underWay + orphans.length }
  const isSame = isReached && !hasStrays && (runs.size > 0 || now.under_way === approved.under_way)
  return { facts: isSame ? approved : now, calls: calls + orphans.filter(({ run }) => runs.has(run)).length }
}

/** A container may run as a user without a name. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return 'unknown'
  }
}
