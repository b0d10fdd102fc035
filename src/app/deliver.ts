import { createClient, createUrl } from '../api/client.ts'
import { createPace } from '../api/pace.ts'
import { createSend } from '../api/send.ts'
import { type Journal, type Keeping, openJournal, streamJournal } from '../journal/journal.ts'
import type { Opening } from '../journal/outcome.ts'
import { streamSink } from '../journal/results.ts'
import type { Delivery, RunContext } from './delivery.ts'
import type { Service } from './resolve-options.ts'

/** Sends calls to the service and keeps what becomes of them in the journal, which it opens with the run's line. */
export async function sendDelivery(making: RunContext, service: Service): Promise<Delivery> {
  const { plan, settings, mapping, context } = making
  const { baseUrl, organizationId, token, proxy } = service
  const journal = await openJournalOf(making, service)
  const client = createClient({
    version: context.version,
    timeoutMs: settings.timeout * 1000,
    retries: settings.retries,
    proxy,
    clock: context.clock,
  })
  if (proxy !== undefined) making.tell({ is: 'proxied', proxy: proxy.origin })
  return {
    delivery: {
      send: createSend({
        client,
        stop: making.stop,
        tell: making.tell,
        clock: context.clock,
        random: context.random,
        token,
        mode: plan.mode,
        rules: settings.responses,
        record: mapping.record,
        useCreated: plan.useCreated,
        retries: settings.retries,
        url: createUrl(baseUrl, settings['api-version'], mapping.record, organizationId, plan.useCreated),
        pace: createPace({
          concurrency: settings.concurrency,
          rate: settings.rate,
          stop: making.stop,
          clock: context.clock,
          random: context.random,
          tell: making.tell,
        }),
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
async function openJournalOf(making: RunContext, service: Service): Promise<Journal> {
  const { past, context, held } = making
  const keeping: Keeping = {
    opening: openingOf(making, service),
    now: context.clock.now,
    onUnwritten: line => context.stderr.write(`${line}\n`),
  }
  if (held === undefined) return streamJournal(streamSink(context.stdout, 'standard output'), keeping)
  if (past.abandoned.length > 0) making.tell({ is: 'abandoned', calls: past.abandoned.length })
  return openJournal(held.path, past, held.lock, keeping)
}

function openingOf({ run, plan, mapping, context }: RunContext, service: Service): Opening {
  return {
    run,
    at: context.clock.now().toISOString(),
    rowlift: context.version,
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
