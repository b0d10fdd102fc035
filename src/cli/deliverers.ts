import type { Writable } from 'node:stream'
import { ulid } from 'ulid'
import { createClient, createUrl } from '../api/client.ts'
import { createPace } from '../api/pace.ts'
import { createSend } from '../api/send.ts'
import type { Import } from '../engine/import-rows.ts'
import { standardInput } from '../input/source.ts'
import { isLogged, type Opening, previewLine, resultLine } from '../journal/outcome.ts'
import type { PastRuns } from '../journal/replay.ts'
import { type LineSink, openPreview, openResultLog, streamSink } from '../journal/results.ts'
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

/** What both deliverers are made of. */
export interface Making {
  readonly plan: Plan
  readonly settings: ImportSettings
  readonly mapping: Mapping
  readonly past: PastRuns
  readonly around: Surroundings
  readonly stop: Stop
  readonly tell: (event: RunEvent) => void
}

/** Sends calls to the service and keeps outcomes in the result log, which it opens with the run's line. */
export async function realDeliverer(making: Making, service: Service): Promise<Deliverer> {
  const { plan, settings, mapping, around } = making
  const run = ulid()
  const log = await openLog(making)
  const client = createClient({
    version: around.version,
    timeoutMs: settings.timeout * 1000,
    retries: settings.retries,
  })
  const { baseUrl, organizationId, token } = service
  await log.append(JSON.stringify(openingOf(run, making, service)))
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
      }),
    },
    record: outcome => {
      if (!isLogged(outcome.end)) return undefined
      const line = resultLine(run, around.now(), outcome, mapping.record)
      return orTellOn(around.stderr, line, () => log.append(line))
    },
    async close() {
      client.connections.close()
      await log.close()
    },
  }
}

async function openLog({ plan: { results = standardInput }, past, around }: Making): Promise<LineSink> {
  return results === standardInput
    ? streamSink(around.stdout, 'standard output')
    : openResultLog(results, past.mend)
}

/** An outcome that cannot be kept in the log is at least told. */
async function orTellOn(
  stderr: Writable,
  line: string,
  append: () => Promise<void> | undefined,
): Promise<void> {
  try {
    await append()
  } catch (error) {
    stderr.write(`${line}\n`)
    throw error
  }
}

function openingOf(run: string, { plan, mapping, around }: Making, service: Service): Opening {
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
