import { join, parse } from 'node:path'
import type { CliContext } from '../../cli/context.ts'
import { formatFor } from '../../input/source.ts'
import { keepSecret } from '../../model/secrets.ts'
import { firstOpening } from '../../run/prepare.ts'
import { checkBaseUrl } from '../../run/service.ts'
import { importOptions } from '../../settings/options.ts'
import {
  mergeSettings,
  parseSettings,
  type SettingSources,
  type Settings,
  settingsIn,
} from '../../settings/settings.ts'
import { logCommand } from '../log-tools/command.ts'
import type { Mappings } from './mappings.ts'
import { linesOf } from './run-command.ts'

export interface ServiceChange {
  readonly practice?: boolean
  readonly baseUrl?: string
  readonly organizationId?: number | null
  readonly token?: string
}

export type Service = Awaited<ReturnType<typeof openService>>

/** What sends. */
export interface WithService {
  readonly service: Service
  readonly context: CliContext
}

/** The service that jobs send to: that of the page, the settings or the last run, or the sandbox of practice. Throws a UsageError. */
export async function openService(context: CliContext, layers: SettingSources, mappings: Mappings) {
  const { outside, inFile } = layers
  const openings = mappings.imports.map(file => openingOf(namesOf(file, false).log))
  const last = (await Promise.all(openings)).find(opening => opening !== undefined)
  const address = { baseUrl: last?.base_url ?? null, organizationId: last?.organization_id ?? null }
  const ofLast = settingsIn('the log', address)
  let practice: boolean = last === undefined // a page that is opened again goes on where it was
  let typed: Settings = new Map()
  let token: string | undefined
  let sandbox: Promise<{ readonly url: string; close(): Promise<unknown> }> | undefined
  const known = () => parseSettings(importOptions, mergeSettings(typed, outside, inFile, ofLast))
  known() // throws for bad settings

  /** The files of an import. Throws a CallError for a file that is not open here. */
  function namesOf(file: string, isPractice = practice): FileNames {
    return fileNames(mappings.inFolder(), mappings.sourceOf(file), mappings.nameOf(file), isPractice)
  }

  return {
    namesOf,
    practice: () => practice,
    token: () => (practice ? 'sandbox' : (token ?? context.environment.ROWLIFT_TOKEN)),

    state() {
      const { baseUrl = null, organizationId = null, tokenFile, tokenCommand } = known()
      const isKnown = tokenFile ?? tokenCommand ?? (context.environment.ROWLIFT_TOKEN || undefined)
      return {
        practice,
        baseUrl,
        organizationId,
        token: token ? 'typed' : isKnown ? 'settings' : 'none',
      } as const
    },

    /** Whether an approval can name the service. */
    isNamed(): boolean {
      const { baseUrl, organizationId } = known()
      return !practice && baseUrl !== undefined && organizationId !== undefined
    },

    /** Throws a UsageError for a bad address, and changes nothing then. */
    change({
      practice: isPractice = practice,
      baseUrl: url,
      organizationId = null,
      token: now,
    }: ServiceChange) {
      const baseUrl = url ? checkBaseUrl(url, known().allowHttp) : null
      const changed = mergeSettings(settingsIn('the page', { baseUrl, organizationId }), typed)
      parseSettings(importOptions, changed)
      typed = changed
      if (typeof now === 'string') {
        keepSecret(now.trim())
        token = now.trim() || undefined
      }
      practice = isPractice
    },

    /** Settings of an import that sends nothing; a plan's beat those of the settings file. In practice no service is known. */
    settings(own: Readonly<Record<string, unknown>>, ofPlan: Settings = new Map()): Settings {
      const ofService = practice ? ['baseUrl', 'organizationId'] : []
      const ofToken = practice || token ? ['tokenFile', 'tokenCommand'] : []
      const without = ['plan', 'watch', 'preview', 'limit', 'summary', ...ofService, ...ofToken]
      const all = mergeSettings(settingsIn('the page', own), typed, outside, ofPlan, inFile, ofLast)
      const isKept = (option: string) =>
        option in own ? own[option] !== undefined : !without.includes(option)
      return new Map([...all].filter(([option]) => isKept(option)))
    },

    /** The address for a run; in practice that of the sandbox, which starts with the first run. A practice log follows it. */
    async addressFor(log: string): Promise<{ baseUrl?: string; organizationId?: number }> {
      if (!practice) return {}
      const { startSandbox } = await import('../sandbox/server.ts') // few pages send
      sandbox ??= startSandbox()
      const { url: baseUrl } = await sandbox
      const before = await openingOf(log)
      if (before !== undefined) await linesOf(logCommand, [log], { movedTo: baseUrl, yes: true }, context)
      return { baseUrl, organizationId: before?.organization_id ?? known().organizationId ?? 1 }
    },

    close: async () => (await sandbox)?.close(),
  }
}

/** Undefined if there is no log, or it cannot be read. */
const openingOf = (log: string) => firstOpening(log).catch(() => undefined)

export type FileNames = ReturnType<typeof fileNames>

/** The paths of the files that belong to a source, as the commands name them by default. Those of practice are others. */
export function fileNames(folder: string, source: string, mapping: string, practice: boolean) {
  const at = (name: string) => join(folder, name)
  const { name } = parse(mapping)
  const base = name + (practice ? '.practice' : '')
  const rows = /\.as-\w+$/.test(name) ? name : source // of a second import of the same rows
  const format = formatFor(source, {})
  const form = format === 'csv' || format === 'xlsx' ? 'csv' : 'ndjson'
  return {
    folder,
    source: at(source),
    mapping: at(mapping),
    log: at(`${base}.results.ndjson`),
    report: at(`${base}.results.report.html`),
    changes: at(`${base}.changes.csv`),
    rejects: at(`${rows}${practice ? '.practice' : ''}.rejects.${form}`),
    corrected: at(`${rows}.corrected.${form}`),
    approval: at(`${base}.approval.json`),
    agreed: at(`${base}.approval.agreed.json`),
  }
}
