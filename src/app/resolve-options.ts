import { stat } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import type { DeliveryMode } from '../api/retry.ts'
import { fixedToken, type Token, tokenFromFile } from '../api/token.ts'
import { isKnownEncoding } from '../input/decode.ts'
import { isGzip, type SourceSettings, standardInput, withoutGz } from '../input/source.ts'
import { resolveLink } from '../journal/result-log.ts'
import type { Mapping } from '../mapping/mapping.ts'
import { UsageError } from '../model/errors.ts'
import { kinds } from '../records/kinds.ts'
import { type Ports, pathIn } from './ports.ts'
import { checkBaseUrl, proxyFor } from './service.ts'
import type { ImportSettings } from './settings.ts'

/** Where the records go. */
export interface Service {
  readonly baseUrl: string
  readonly organizationId: number
  readonly token: Token
  /** Through which it is reached; undefined where it is reached straight. */
  readonly proxy: URL | undefined
}

/** What the settings and the mapping together ask for. */
export interface ResolvedOptions {
  readonly sources: readonly string[]
  readonly sourceSettings: SourceSettings
  readonly useCreated: boolean | undefined
  /** Whether the service may answer with a record that was there before: it does not say what it does unasked. */
  readonly findsSimilar: boolean
  readonly mode: DeliveryMode
  readonly inDoubt: 'hold' | 'resend'
  /** The result log, `-` for stdout; undefined in a dry run that knows none. */
  readonly results: string | undefined
  /** Where the rows are written that are rejected. */
  readonly rejects: string | undefined
  /** What is known of the service; a dry run need not know it. */
  readonly baseUrl: string | undefined
  readonly organizationId: number | undefined
  /** Undefined in a dry run. */
  readonly service: Service | undefined
}

/** Decides what settings and mapping together ask for. Throws a UsageError where they do not fit. */
export async function resolveOptions(
  sources: readonly string[],
  settings: ImportSettings,
  mapping: Mapping,
  ports: Ports,
): Promise<ResolvedOptions> {
  checkSourcesGiven(sources)
  checkDryRunOptions(settings)
  checkReport(settings)
  const useCreated = useCreatedOf(settings, mapping)
  const baseUrl = settings.baseUrl && checkBaseUrl(settings.baseUrl, settings.allowHttp)
  const organizationId = settings.organizationId
  const mode = settings.delivery ?? (useCreated === true ? 'at-least-once' : 'at-most-once')
  return {
    sources,
    sourceSettings: sourceSettingsOf(settings, mapping),
    useCreated,
    findsSimilar: kinds[mapping.record].findsSimilar && useCreated !== false,
    mode,
    inDoubt: settings.inDoubt ?? (mode === 'at-least-once' ? 'resend' : 'hold'),
    results: await resolveResults(sources, settings, ports),
    rejects: await rejectsPath(settings.rejects),
    baseUrl,
    organizationId,
    service: settings.dryRun ? undefined : await serviceOf(settings, baseUrl, ports),
  }
}

/** Where the result log is, by its true name. Throws a UsageError where it has to be named. */
export async function resolveResults(
  sources: readonly string[],
  settings: ImportSettings,
  ports: Pick<Ports, 'cwd' | 'isInteractive'>,
): Promise<string | undefined> {
  const results = resultsOf(sources, settings, ports)
  return results && resolveLink(results)
}

async function serviceOf(
  settings: ImportSettings,
  baseUrl: string | undefined,
  ports: Ports,
): Promise<Service> {
  const address = required(baseUrl, 'base-url')
  return {
    baseUrl: address,
    organizationId: required(settings.organizationId, 'organization-id'),
    token: await tokenOf(settings.tokenFile, ports.token),
    proxy: proxyFor(address, ports.environment),
  }
}

/** The value of an option that must be given. */
export function required<T>(value: T | undefined, option: string): T {
  if (value !== undefined) return value
  throw new UsageError('option_required', { option })
}

function checkSourcesGiven(sources: readonly string[]): void {
  if (sources.length === 0) throw new UsageError('no_source')
  if (sources.filter(source => source === standardInput).length > 1) throw new UsageError('stdin_twice')
}

function checkDryRunOptions(settings: ImportSettings): void {
  if (settings.preview !== undefined && !settings.dryRun) throw new UsageError('preview_without_dry_run')
}

/** A page is a file, and what it shows of a run stands in the result log. */
function checkReport({ report, results, dryRun: isDryRun }: ImportSettings): void {
  if (report === standardInput) throw new UsageError('page_to_stdout')
  if (report !== undefined && results === standardInput && !isDryRun) throw new UsageError('page_without_log')
}

function useCreatedOf(settings: ImportSettings, mapping: Mapping): boolean | undefined {
  const flag = settings.useCreated
  if (flag !== undefined && !kinds[mapping.record].findsSimilar)
    throw new UsageError('use_created_contacts_only', { mapping: mapping.file, record: mapping.record })
  return flag ?? mapping.useCreated
}

function sourceSettingsOf(settings: ImportSettings, { source, file }: Mapping): SourceSettings {
  if (source.encoding !== undefined && !isKnownEncoding(source.encoding))
    throw new UsageError('unknown_encoding', { mapping: file, encoding: source.encoding })
  return {
    ...source,
    keepsLines: settings.rejects !== undefined,
    format: settings.format ?? source.format,
    delimiter: settings.delimiter ?? source.delimiter,
    encoding: settings.encoding ?? source.encoding,
  }
}

function resultsOf(
  sources: readonly string[],
  settings: ImportSettings,
  ports: Pick<Ports, 'cwd' | 'isInteractive'>,
): string | undefined {
  if (settings.results !== undefined) return settings.results
  const [first = standardInput] = sources
  const isDryRun = settings.dryRun
  if (first === standardInput) return isDryRun ? undefined : required(undefined, 'results')
  if (!ports.isInteractive && !isDryRun) throw new UsageError('no_results')
  const name = basename(withoutGz(first))
  return pathIn(ports, `${basename(name, extname(name))}.results.ndjson`)
}

async function tokenOf(file: string | undefined, variable: string | undefined): Promise<Token> {
  if (file !== undefined) return tokenFromFile(file)
  if (variable !== undefined && variable !== '') return fixedToken(variable)
  throw new UsageError('no_token')
}

/** The file that `--rejects` names. Throws a UsageError where nothing can be written there that is read back. */
async function rejectsPath(named: string | undefined): Promise<string | undefined> {
  if (named === undefined) return undefined
  if (named === standardInput) throw new UsageError('rejects_to_stdout')
  if (isGzip(named)) throw new UsageError('rejects_compressed', { path: named })
  const path = await resolveLink(named)
  const found = await stat(path).catch(() => undefined)
  if (found !== undefined && !found.isFile()) throw new UsageError('rejects_not_a_file', { path })
  return path
}
