import { join, parse } from 'node:path'
import type { CliContext } from '../../cli/context.ts'
import { formatFor } from '../../input/source.ts'
import { keepSecret } from '../../model/secrets.ts'
import { firstOpening } from '../../run/prepare.ts'
import { checkBaseUrl } from '../../run/service.ts'
import { importOptions } from '../../settings/options.ts'
import { mergeSettings, parseSettings, type SettingSources, type Settings } from '../../settings/settings.ts'
import type { Opening } from '../../store/files/lines.ts'
import { logCommand } from '../log-tools/command.ts'
import type { Mappings } from './mappings.ts'
import { linesOf } from './run-command.ts'

export interface ServiceChange {
  readonly practice?: boolean
  readonly baseUrl?: string
  readonly organizationId?: number
  readonly token?: string
}

type Address = { -readonly [Key in 'base_url' | 'organization_id']?: Opening[Key] | undefined }

/** The service that jobs send to: that of the page, the settings or the last run, or the sandbox of practice. */
export class Service {
  readonly #context: CliContext
  readonly #mappings: Mappings
  readonly #layers: SettingSources
  readonly #settings
  practice = true
  #token: string | undefined
  #address: Address = {}
  #sandbox: Promise<{ readonly url: string; close(): Promise<unknown> }> | undefined

  /** Takes the address of the last run if the settings have none. Throws a UsageError. */
  static async open(context: CliContext, layers: SettingSources, mappings: Mappings): Promise<Service> {
    const service = new Service(context, layers, mappings)
    const openings = mappings.imports.map(file => openingOf(service.namesOf(file, false).log))
    const last = (await Promise.all(openings)).find(opening => opening !== undefined)
    service.#address = { ...last, ...service.#address }
    service.practice = last === undefined // a page that is opened again goes on where it was
    return service
  }

  private constructor(context: CliContext, layers: SettingSources, mappings: Mappings) {
    this.#context = context
    this.#mappings = mappings
    this.#layers = layers
    this.#settings = parseSettings(importOptions, mergeSettings(layers.outside, layers.inFile))
    const { baseUrl, organizationId } = this.#settings
    if (baseUrl !== undefined) this.#address.base_url = baseUrl
    if (organizationId !== undefined) this.#address.organization_id = organizationId
  }

  /** The files of an import. Throws a CallError for a file that is not open here. */
  namesOf(file: string, practice = this.practice): FileNames {
    const mappings = this.#mappings
    return namesOf(this.#context.cwd ?? '.', mappings.sourceOf(file), mappings.nameOf(file), practice)
  }

  get state() {
    const { base_url: baseUrl = null, organization_id: organizationId = null } = this.#address
    const { tokenFile, tokenCommand } = this.#settings
    const isKnown = tokenFile ?? tokenCommand ?? (this.#context.environment.ROWLIFT_TOKEN || undefined)
    const token = this.#token ? 'typed' : isKnown ? 'settings' : 'none'
    return { practice: this.practice, baseUrl, organizationId, token } as const
  }

  /** Throws a UsageError for a bad address, and changes nothing then. */
  change({ practice, baseUrl, organizationId, token }: ServiceChange): void {
    const base_url = baseUrl && checkBaseUrl(baseUrl, this.#settings.allowHttp)
    if (base_url) this.#address = { ...this.#address, base_url }
    if (Number.isSafeInteger(organizationId) && Number(organizationId) >= 0)
      this.#address = { ...this.#address, organization_id: Number(organizationId) }
    if (typeof token === 'string') {
      keepSecret(token.trim())
      this.#token = token.trim() || undefined
    }
    if (typeof practice === 'boolean') this.practice = practice
  }

  /** Whether an approval can name the service. */
  get isNamed(): boolean {
    const { base_url: baseUrl, organization_id: organizationId } = this.#address
    return !this.practice && baseUrl !== undefined && organizationId !== undefined
  }

  /** Settings of an import that sends nothing; a plan's beat those of the settings file. In practice no service is known. */
  async settings(own: Readonly<Record<string, unknown>>, ofPlan: Settings = new Map()): Promise<Settings> {
    const { outside, inFile } = this.#layers
    const all = new Map(mergeSettings(outside, ofPlan, inFile))
    const { base_url: baseUrl, organization_id: organizationId } = this.practice ? {} : this.#address
    const tokens = this.practice || this.#token ? ['tokenFile', 'tokenCommand'] : []
    for (const option of ['plan', 'watch', 'preview', 'limit', 'summary', ...tokens]) all.delete(option)
    for (const [option, value] of Object.entries({ baseUrl, organizationId, ...own }))
      if (value === undefined) all.delete(option)
      else all.set(option, { value, from: option })
    return all
  }

  get token(): string | undefined {
    return this.practice ? 'sandbox' : (this.#token ?? this.#context.environment.ROWLIFT_TOKEN)
  }

  /** The address for a run; in practice that of the sandbox, which starts with the first run. A practice log follows it. */
  async addressFor(log: string): Promise<{ baseUrl?: string; organizationId?: number }> {
    if (!this.practice) return {}
    const { startSandbox } = await import('../sandbox/server.ts') // few pages send
    this.#sandbox ??= startSandbox()
    const { url: baseUrl } = await this.#sandbox
    const before = await openingOf(log)
    const moving = { movedTo: baseUrl, yes: true }
    if (before !== undefined) await linesOf(logCommand, [log], moving, this.#context)
    return { baseUrl, organizationId: before?.organization_id ?? this.#address.organization_id ?? 1 }
  }

  async close(): Promise<void> {
    await (await this.#sandbox)?.close()
  }
}

/** Undefined if there is no log, or it cannot be read. */
const openingOf = (log: string) => firstOpening(log).catch(() => undefined)

export type FileNames = ReturnType<typeof namesOf>

/** The paths of the files that belong to a source, as the commands name them by default. Those of practice are others. */
export function namesOf(folder: string, source: string, mapping: string, practice: boolean) {
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
