import { fstatSync, statSync } from 'node:fs'
import type { Writable } from 'node:stream'
import { gotClient } from '../api/got-client.ts'
import { createUrl } from '../api/http-client.ts'
import { limiterOf, type SharedPace } from '../api/limiter.ts'
import { createSend, type Send, type SendDependencies } from '../api/send.ts'
import { LogError } from '../model/errors.ts'
import { visibleJson } from '../output/text.ts'
import { describeProblem } from '../output/words.ts'
import { type Journal, type JournalOptions, openJournal, streamJournal } from '../store/files/journal.ts'
import type { Opening } from '../store/files/lines.ts'
import { streamSink } from '../store/files/result-log.ts'
import { isWhole, rowsOf, unmetIn } from './import-end.ts'
import type { Delivery, RunContext } from './import-steps.ts'
import { logIdentity, sheetsIn } from './log-identity.ts'
import { checkOpenFiles, type Ports, streamsOf } from './ports.ts'
import type { PreparedImport } from './prepared-import.ts'
import type { Service } from './resolve-options.ts'

/** The delivery of a real run: sends calls to the service and records their outcomes in the journal, which it opens. */
export async function sendDelivery(context: RunContext, service: Service): Promise<Delivery> {
  const { stop, tally, settings } = context.prepared
  checkOpenFiles(settings.concurrency)
  const journal = await openJournalOf(context, service)
  const { claimRecord } = context.checkpoint
  const { send, close } = openSender(context.prepared, service, { claimRecord, intentLog: journal.intentLog })
  return {
    delivery: { send },
    record: journal.record,
    async close() {
      close()
      const { ends, known: refused, returned, unclear, leftOut: left_out } = tally
      const known = refused.invalid + refused.failed
      const counts = Object.entries({ ...ends, known, returned, unclear, left_out })
      const ended = { rows: rowsOf(tally), ...Object.fromEntries(counts.filter(([, n]) => n > 0)) }
      const unmet = unmetIn(context.prepared, { counts: tally, lastRows: context.checkpoint.lastRows })
      const stopped = stop.reason?.code ?? (isWhole(tally) ? undefined : 'limit')
      await journal.close({ ended, unmet, stopped })
    },
  }
}

/** Sender of calls to the service, after `store` has taken their intents; `shared` is the pace of several workers. */
export function openSender(
  { options, settings, mapping, stop, ports }: PreparedImport,
  { baseUrl, organizationId, token, proxy }: Service,
  store: Pick<SendDependencies, 'claimRecord' | 'intentLog'>,
  shared?: SharedPace,
): { readonly send: Send; readonly close: () => void } {
  const { clock, random, emit } = ports
  const { concurrency, rate, retries } = settings
  if (proxy !== undefined) emit({ type: 'proxied', proxy: proxy.origin })
  const waitMs = (settings.waitForService ?? 0) * 1000
  const client = gotClient({
    url: createUrl(baseUrl, settings.apiVersion, mapping.record, organizationId, options.useCreated),
    version: ports.version,
    timeoutMs: settings.timeout * 1000,
    ...{ proxy, clock },
  })
  const send = createSend({
    ...{ client, stop, emit, clock, random, token, retries, waitMs, concurrency, ...store },
    mode: options.mode,
    rules: settings.responses,
    record: mapping.record,
    useCreated: options.useCreated,
    limiter: limiterOf({ concurrency, rate, waitMs, stop, clock, random, emit, shared }),
  })
  return { send, close: client.close }
}

/** The journal of a result log, or one that writes to stdout and cannot be resumed. */
async function openJournalOf(context: RunContext, service: Service): Promise<Journal> {
  const { checkpoint, prepared, lock } = context
  const { ports, options } = prepared
  const journalOptions: JournalOptions = {
    opening: { ...openingOf(context.runId, prepared, service), ...context.opening },
    now: ports.clock.now,
    describe: describeProblem,
    onUnwritten: ports.onUnwritten,
  }
  if (lock === undefined) {
    ports.emit({ type: 'not_remembered' })
    const { append, close } = streamSink(outcomeStream(ports), 'standard output')
    const show = ports.streams?.isTerminal ? visibleJson : String
    return streamJournal({ append: line => append(show(line)), close }, journalOptions)
  }
  if (checkpoint.orphans.length > 0) ports.emit({ type: 'orphaned_calls', calls: checkpoint.orphans.length })
  return openJournal(options.results ?? '', checkpoint, lock, journalOptions)
}

export function openingOf(runId: string, prepared: PreparedImport, service: Service): Opening {
  const { options, mapping, sources, ports, approval, existing } = prepared
  return {
    run: runId,
    at: ports.clock.now().toISOString(),
    rowlift: ports.version,
    ...logIdentity(prepared),
    base_url: service.baseUrl,
    organization_id: service.organizationId,
    ...(mapping.refs.length > 0 && { ref_columns: mapping.refs.map(({ column }) => column) }),
    use_created: options.useCreated ?? null,
    delivery: options.mode,
    sources: options.sources,
    sheets: sheetsIn(sources),
    ...(approval && { approval: approval.sha256 }),
    existing_sha256: existing?.file.sha256,
  }
}

/** Standard output as the only place of outcomes. Throws a LogError if it keeps none. */
function outcomeStream(ports: Ports): Writable {
  const { stdout } = streamsOf(ports)
  const { fd } = stdout as Writable & { readonly fd?: number }
  const nowhere = statSync('/dev/null', { throwIfNoEntry: false }) // Node opens it in the place of a closed stream
  if (fd !== undefined && fstatSync(fd).rdev === nowhere?.rdev) throw new LogError('stdout_keeps_nothing')
  return stdout
}
