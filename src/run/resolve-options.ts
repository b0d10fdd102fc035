import { stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fixedToken, tokenFromCommand, tokenFromFile } from '../api/token.ts'
import { fileOnDisk, findFile } from '../input/bytes.ts'
import { isPacked, type SourceSettings, standardInput } from '../input/source.ts'
import type { Mapping } from '../mapping/mapping.ts'
import { UsageError } from '../model/errors.ts'
import { isKnownEncoding } from '../model/package.ts'
import { isReadByOthers } from '../platform/owners.ts'
import { pathIn } from '../platform/process-info.ts'
import { kinds } from '../records/kinds.ts'
import { flagOf } from '../settings/options.ts'
import type { ImportSettings } from '../settings/settings.ts'
import { resolveLink } from '../store/files/result-log.ts'
import { isPreset, mappingName } from './paths.ts'
import type { ImportPorts, Ports } from './ports.ts'
import { checkBaseUrl, proxyFor } from './service.ts'

export type Service = Readonly<Awaited<ReturnType<typeof serviceOf>>>
export type ResolvedOptions = Readonly<Awaited<ReturnType<typeof resolveOptions>>>

/** Resolves settings and mapping. Throws a UsageError if they do not fit. */
export async function resolveOptions(
  sources: readonly string[],
  settings: ImportSettings,
  mapping: Mapping,
  ports: ImportPorts,
) {
  await checkSettings(sources, settings)
  const useCreated = useCreatedOf(settings, mapping)
  const baseUrl = settings.baseUrl && checkBaseUrl(settings.baseUrl, settings.allowHttp)
  const mode = settings.delivery ?? (useCreated === true ? 'at-least-once' : 'at-most-once')
  return {
    sources,
    sourceSettings: sourceSettingsOf(settings, mapping),
    useCreated,
    mode,
    inDoubt: settings.inDoubt ?? (mode === 'at-least-once' ? 'resend' : 'hold'),
    /** The result log, `-` for stdout; undefined in a dry run that has none, and with a ledger. */
    results: await resolveResults(sources, settings, ports),
    rejects: settings.rejects && (await rejectsPath(settings.rejects)),
    baseUrl,
    organizationId: settings.organizationId,
    /** Undefined in a dry run. */
    service: settings.dryRun ? undefined : await serviceOf(settings, baseUrl, ports),
  }
}

async function checkSettings(sources: readonly string[], settings: ImportSettings): Promise<void> {
  const { preview, report, results, dryRun, tokenFile, tokenCommand } = settings
  if (sources.length === 0) throw new UsageError('no_source')
  await checkStore(sources, settings)
  if (sources.filter(source => source === standardInput).length > 1) throw new UsageError('stdin_twice')
  if (tokenFile !== undefined && tokenCommand !== undefined) throw new UsageError('token_twice')
  if (preview !== undefined && !dryRun) throw new UsageError('preview_without_dry_run')
  if (report === standardInput) throw new UsageError('page_to_stdout')
  if (report !== undefined && results === standardInput && !dryRun) throw new UsageError('page_without_log')
}

const ofLedgers = ['import', 'newRun'] as const
const ofLogs = ['results'] as const
/** They need all rows, which a dry run sees; but what it refused, no worker could. */
const ofAllRows = ['nearDuplicates', 'worksheets'] as const

/** Throws a UsageError if the options of a ledger do not fit together, or not to those of a result log. */
async function checkStore(sources: readonly string[], settings: ImportSettings): Promise<void> {
  const { ledger, dryRun, nearDuplicates } = settings
  const hasLedger = ledger !== undefined
  if (hasLedger && settings.import === undefined) throw new UsageError('ledger_needs_import')
  const isGiven = (option: keyof ImportSettings) => (settings[option] || 'off') !== 'off'
  const stray = (hasLedger ? ofLogs : ofLedgers).find(isGiven)
  if (stray !== undefined)
    throw new UsageError(hasLedger ? 'ledger_and_results' : 'import_needs_ledger', { option: flagOf(stray) })
  if (!hasLedger) return
  const seesPart = !dryRun || nearDuplicates === 'hold' ? ofAllRows.find(isGiven) : undefined
  if (seesPart !== undefined) throw new UsageError('ledger_sees_part', { option: flagOf(seesPart) })
  for (const source of sources)
    if ((await findFile(source)) === undefined) throw new UsageError('ledger_needs_files', { source })
}

/**
 * The result log, which a ledger takes the place of; links are followed. By default it lies beside the mapping, or beside the first source
 * of a preset. Throws a UsageError if it needs a name.
 */
export async function resolveResults(sources: readonly string[], settings: ImportSettings, ports: Ports) {
  const { results, mapping, dryRun, ledger } = settings
  if (ledger !== undefined) return undefined
  if (results !== undefined) return resolveLink(results)
  const beside = mapping && isPreset(mapping) ? sources[0] && (await fileOnDisk(sources[0])) : mapping
  const isUnsure = mapping !== undefined && isPreset(mapping) && !ports.isInteractive
  const hasPlace = mapping !== undefined && beside !== undefined && !sources.includes(standardInput)
  if (!dryRun && (!hasPlace || isUnsure)) throw new UsageError('no_results')
  if (!hasPlace) return undefined
  return resolveLink(join(dirname(pathIn(ports, beside)), `${mappingName(mapping)}.results.ndjson`))
}

async function serviceOf(settings: ImportSettings, baseUrl: string | undefined, ports: ImportPorts) {
  const address = required(baseUrl, 'base-url')
  return {
    baseUrl: address,
    organizationId: required(settings.organizationId, 'organization-id'),
    token: await tokenOf(settings, ports),
    /** Undefined for a direct connection. */
    proxy: proxyFor(address, ports.environment),
  }
}

/** Throws a UsageError that names the flag if the value is undefined. */
export function required<T>(value: T | undefined, option: string): T {
  if (value !== undefined) return value
  throw new UsageError('option_required', { option })
}

/** Throws a UsageError. A token of a command begins with the import. */
export async function tokenOf({ tokenFile, tokenCommand }: ImportSettings, ports: ImportPorts) {
  if (tokenFile !== undefined) {
    const token = await tokenFromFile(tokenFile)
    if (await isReadByOthers(tokenFile)) ports.emit({ type: 'token_shared', path: tokenFile })
    return token
  }
  if (tokenCommand !== undefined) {
    const token = ports.tokens?.get(tokenCommand) ?? tokenFromCommand(tokenCommand, ports)
    ports.tokens?.set(tokenCommand, token)
    return token
  }
  if (ports.token) return fixedToken(ports.token)
  throw new UsageError('no_token')
}

function useCreatedOf(settings: ImportSettings, { record, file, useCreated }: Mapping): boolean | undefined {
  if (settings.useCreated !== undefined && !kinds[record].findsSimilar)
    throw new UsageError('use_created_contacts_only', { mapping: file, record })
  return settings.useCreated ?? useCreated
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
    trustEncoding: settings.trustEncoding,
  }
}

/** Throws a UsageError if the file could not be written or read back. */
async function rejectsPath(named: string): Promise<string> {
  if (named === standardInput) throw new UsageError('rejects_to_stdout')
  if (isPacked(named)) throw new UsageError('rejects_compressed', { path: named })
  const path = await resolveLink(named)
  const file = await stat(path).catch(() => undefined)
  if (file?.isFile() === false) throw new UsageError('rejects_not_a_file', { path })
  return path
}
