import type { Writable } from 'node:stream'
import { createClient, createUrl } from '../api/client.ts'
import { createPace } from '../api/pace.ts'
import { createSend } from '../api/send.ts'
import type { Import } from '../engine/import-rows.ts'
import { standardInput } from '../input/source.ts'
import { type Journal, type Keeping, openJournal, streamJournal } from '../journal/journal.ts'
import type { Lock } from '../journal/lock.ts'
import { type Opening, previewLine } from '../journal/outcome.ts'
import type { PastRuns } from '../journal/past-runs.ts'
import { openPreview, streamSink } from '../journal/results.ts'
import type { Mapping } from '../mapping/mapping.ts'
import type { RunEvent } from '../model/events.ts'
import type { Body, Valid } from '../model/row.ts'
import type { Stop } from '../model/stop.ts'
import type { ImportSettings } from './import-settings.ts'
import type { Plan, Service } from './plan.ts'
import type { Surroundings } from './surroundings.ts'

/** The step of an import in which a dry run differs: what is done with a call, and where outcomes are kept. */
export interface Deliverer extends Pick<Import, 'delivery' | 'record'> {
  close(): Promise<void>
}

/** A result log whose lock this run holds. */
export interface HeldLog {
  readonly path: string
  readonly lock: Lock
}

/** What both deliverers are made of. */
export interface Making {
  /** Names this run among all others. */
  readonly run: string
  readonly plan: Plan
  readonly settings: ImportSettings
  readonly mapping: Mapping
  readonly past: PastRuns
  /** The result log; undefined where there is none to go on with. */
  readonly held: HeldLog | undefined
  readonly around: Surroundings
  readonly stop: Stop
  readonly tell: (event: RunEvent) => void
}

/** Sends calls to the service and keeps what becomes of them in the journal, which it opens with the run's line. */
export async function realDeliverer(making: Making, service: Service): Promise<Deliverer> {
  const { plan, settings, mapping, around } = making
  const journal = await openJournalOf(making, service)
  const client = createClient({
    version: around.version,
    timeoutMs: settings.timeout * 1000,
    retries: settings.retries,
  })
  const { baseUrl, organizationId, token } = service
  return {
    delivery: {
      send: createSend({
        client,
        stop: making.stop,
        tell: making.tell,
        now: around.now,
        random: around.random,
        token,
        mode: plan.mode,
        record: mapping.record,
        useCreated: plan.useCreated,
        retries: settings.retries,
        url: createUrl(baseUrl, settings['api-version'], mapping.record, organizationId, plan.useCreated),
        pace: createPace(settings.rate, making.stop.signal, around.now),
        announced: journal.announced,
      }),
    },
    record: journal.record,
    async close() {
      client.connections.close()
      await journal.close()
    },
  }
}

/** The journal beside a result log, or none where outcomes go to standard output. */
async function openJournalOf(making: Making, service: Service): Promise<Journal> {
  const { past, around, held } = making
  const keeping: Keeping = {
    opening: openingOf(making, service),
    now: around.now,
    onUnwritten: line => around.stderr.write(`${line}\n`),
  }
  if (held === undefined) return streamJournal(streamSink(around.stdout, 'standard output'), keeping)
  if (past.abandoned.length > 0) making.tell({ is: 'abandoned', calls: past.abandoned.length })
  return openJournal(held.path, past, held.lock, keeping)
}

function openingOf({ run, plan, mapping, around }: Making, service: Service): Opening {
  return {
    run,
    at: around.now().toISOString(),
    rowlift: around.version,
    base_url: service.baseUrl,
    organization_id: service.organizationId,
    record: mapping.record,
    mapping: mapping.file,
    mapping_sha256: mapping.sha256,
    key_columns: mapping.keyColumns,
    ...(mapping.refs.length > 0 && { ref_columns: mapping.refs.map(({ column }) => column) }),
    use_created: plan.useCreated ?? null,
    delivery: plan.mode,
    sources: plan.sources,
  }
}

const mostBodiesShown = 3

/** Says what would be sent, and keeps nothing but what --preview asks for; without it the first bodies are shown. */
export async function dryDeliverer({ settings, mapping, around }: Making): Promise<Deliverer> {
  const { preview } = settings
  const show = preview === undefined ? bodiesOn(around.stdout, around.stdoutIsTerminal) : () => {}
  const sink = preview === undefined ? undefined : await previewSink(preview, around.stdout)
  return {
    delivery: {
      predict: ({ body }): Valid => {
        show(body)
        return { status: 'valid', body }
      },
    },
    record: outcome => sink?.append(previewLine(outcome, mapping.record)),
    close: async () => sink?.close(),
  }
}

const previewSink = async (path: string, stdout: Writable) =>
  path === standardInput ? streamSink(stdout, 'standard output') : openPreview(path)

/** Shows the first bodies: spread out on a terminal, one a line for programs. */
function bodiesOn(stdout: Writable, isTerminal: boolean): (body: Body) => void {
  let shown = 0
  return body => {
    if (shown >= mostBodiesShown) return
    shown += 1
    stdout.write(`${JSON.stringify(body, null, isTerminal ? 2 : 0)}\n`)
  }
}
