import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { CliContext } from '../../cli/context.ts'
import { loadMapping } from '../../mapping/mapping.ts'
import { visible } from '../../output/text.ts'
import type { LogPart } from '../../result/facts.ts'
import { watchingOf } from '../../run/logs.ts'
import { logPart } from '../../run/page.ts'
import type { PreparedImport } from '../../run/prepared-import.ts'
import { lockTimeout } from '../../settings/options.ts'
import { isThere } from '../../store/files/whole-lines.ts'
import { approvalState } from './approvals.ts'
import { CheckedRows, mostTried, onlyRows, rowView } from './checked-rows.ts'
import { correctedNames, putCorrection, rowsOf } from './corrections.ts'
import { commandOf, importFile, noFiles } from './import-file.ts'
import { type Job, type JobKind, newJob } from './job-state.ts'
import type { RowFilter } from './row-index.ts'
import { CallError, type Of } from './server.ts'
import type { FileNames, Service } from './service.ts'
import { keptFacts } from './sources.ts'
import { triedRows } from './trial.ts'

/** A window of the rows of the last check, in the order of the file, or those of a trial. */
export interface RowsOf extends Of {
  readonly filter: RowFilter
  readonly from: number
  readonly count: number
  /** By default the check. */
  readonly of?: 'check' | 'try'
}

export interface CorrectionOf extends Of {
  readonly row: number
  readonly cells: Readonly<Record<string, string>>
}

const mostRows = 200

const uncheckedError = () =>
  new CallError('unchecked', 'the rows were not checked with the mapping as it is now; check them first')

/** The checks, trials and runs that the page starts, one at a time. What takes the name of a file throws a CallError for others. */
export function jobsOf(context: CliContext, service: Service) {
  const watching = watchingOf(context, lockTimeout.default)
  const facts = {
    log: keptFacts(path => logPart(path, basename(path), watching)),
    /** The number of rows in a file of rejected or corrected ones. */
    rows: keptFacts(async path => (await rowsOf(path)).length),
  }
  const checks = new Map<string, CheckedRows>()
  let job: Job | undefined
  let work: Promise<void> | undefined
  let correcting: Promise<unknown> = Promise.resolve()
  const isRunning = () => job?.own.status === 'running' || job?.own.status === 'stopping'
  /** A text with names of files below the folder, in which every character can be seen. */
  const short = (text: string) => visible(text).replaceAll(join(context.cwd ?? '.', '/'), '')

  /** Throws a CallError while a job is on. */
  function checkIdle(): void {
    if (isRunning()) throw new CallError('busy', 'a job is on; stop it first, or wait for its end')
  }

  function begin(kind: JobKind, file: string, does: (job: Job) => Promise<void>): void {
    checkIdle()
    const begun = newJob(kind, file, context.clock, short)
    job = begun
    work = begun.run(() => does(begun))
  }

  /** The rows of the last check of a file, by the mapping as it is. Throws a CallError if there is none. */
  async function checkedRows(file: string): Promise<CheckedRows> {
    const { mapping: path } = service.namesOf(file)
    const { sha256 } = await loadMapping(path, path)
    const rows = checks.get(file)
    const isOfNow = rows?.mapping === sha256 && rows.practice === service.practice()
    if (!isOfNow || !rows.isWhole) throw uncheckedError()
    return rows
  }

  /** Settings of an import that sends: the address, and what was approved. */
  async function sending({ log, approval }: FileNames) {
    const isApproved = service.isNamed() && (await isThere(approval))
    return { approval: isApproved ? approval : undefined, ...(await service.addressFor(log)) }
  }

  /** Settings of the import of a file: its log may know few of the first rows. */
  async function ofRun({ log: path, report, changes }: FileNames) {
    const log = await facts.log(path)
    const allNew = log && countsOf(log).records <= mostTried ? true : undefined
    return { report, changes: log && changes, allNew }
  }

  async function correct({ file, row, cells }: CorrectionOf) {
    checkIdle()
    const names = service.namesOf(file)
    const rows = await checkedRows(file)
    const stored = rows.at(row)
    if (stored?.name === undefined) throw new CallError('bad_call', `row ${row} was not refused by the check`)
    if (!rows.isTable && stored.written === undefined)
      throw new CallError('not_read', `row ${row} could not be read, so it can only be corrected in its file`)
    await putCorrection(names.corrected, stored, rows.columns, cells)
    await rm(names.approval, { force: true }) // other rows were approved
    rows.replace(stored.name, row)
    const own = { ...noFiles, dryRun: true }
    const complete = (prepared: PreparedImport) => onlyRows(prepared, names.corrected)
    const job = newJob('check', file, context.clock, short)
    await importFile(job, { context, service }, { own, complete, sink: rows.sink })
    return rowView(row, rows)
  }

  /** Lets calls in flight end. */
  function stop(): void {
    if (!isRunning() || job === undefined) return
    job.own.status = 'stopping'
    job.stop.request({ code: 'signal', params: { signal: 'SIGINT' } })
  }

  /** Log, corrections and approval of a source. */
  async function fileState(file: string) {
    const names = service.namesOf(file)
    const log = await facts.log(names.log)
    const rows = await facts.rows(names.corrected)
    return {
      log: log ? countsOf(log) : null,
      corrected: rows ? { name: basename(names.corrected), rows } : null,
      approval: service.practice() ? null : await approvalState(names),
    }
  }

  return {
    ...{ facts, isRunning, checkIdle, stop, fileState },

    state: () => job?.state() ?? null,

    /** Stops the job that is on, and waits for its end. */
    async close(): Promise<void> {
      stop()
      await work
      for (const rows of checks.values()) rows.close()
    },

    /** A dry run that keeps its rows, and writes what a second person may approve. */
    check(file: string): void {
      const names = service.namesOf(file)
      begin('check', file, async job => {
        const rows = new CheckedRows(names.corrected, await correctedNames(names.corrected), short)
        rows.practice = service.practice()
        checks.get(file)?.close()
        checks.set(file, rows)
        const own = { ...noFiles, dryRun: true, approval: service.isNamed() ? names.approval : undefined }
        const parts = { own, complete: rows.watch, sink: rows.sink }
        rows.isWhole = await importFile(job, { context, service }, parts)
      })
    },

    /** Sends the five rows that differ most. */
    async try(file: string): Promise<void> {
      const chosen = (await checkedRows(file)).chosen()
      if (chosen.size === 0) throw new CallError('none_sent', 'no row of the check would be sent')
      const names = service.namesOf(file)
      begin('try', file, async job => {
        const own = { ...noFiles, ...(await sending(names)) }
        const complete = (prepared: PreparedImport) => onlyRows(prepared, names.source, chosen)
        await importFile(job, { context, service }, { own, complete })
      })
    },

    /** Imports the file and its corrections. What was checked is what is sent, also after this process was killed. */
    async run(file: string): Promise<void> {
      const names = service.namesOf(file)
      const { sha256 } = await loadMapping(names.mapping, names.mapping)
      const log = await facts.log(names.log)
      const begun = service.practice() && log?.opening.mapping_sha256 === sha256
      const isChecked = begun || (await approvalState(names))?.mapping === sha256
      if (!isChecked && !service.practice()) throw uncheckedError()
      if (!isChecked) await checkedRows(file)
      begin('run', file, async job => {
        const own = { ...(await ofRun(names)), ...(await sending(names)) }
        await importFile(job, { context, service }, { own })
      })
    },

    /** The command by which somebody else runs what was approved; null if there is none. */
    async elsewhere({ file }: Of) {
      const names = service.namesOf(file)
      const own = { ...(await ofRun(names)), approval: names.approval }
      return { command: await commandOf(names, own, service) }
    },

    /** `mapping` is the version of the mapping that the rows were checked with. A row of a trial is shown as the check has it. */
    async rows({ file, filter, from, count, of }: RowsOf) {
      const checked = checks.get(file)
      const { mapping, columns = [], counts = {} } = checked ?? {}
      const shown =
        of === 'try'
          ? await triedRows(service.namesOf(file).log)
          : checked?.window(filter, Math.max(0, from), Math.min(mostRows, count))
      const rows = (shown ?? []).map(each => ({ ...rowView(each.row, checked), ...each }))
      return { mapping, from, columns, rows, counts }
    },

    /** Puts a corrected row into the file of corrections, and checks it alone; one after the other, for each rewrites the file. */
    correct(input: CorrectionOf) {
      const corrected = correcting.then(() => correct(input))
      correcting = corrected.catch(() => {})
      return corrected
    },
  }
}

/** What a log comes to. */
function countsOf({ name, counts }: LogPart) {
  const { created, existing, merged, invalid, failed, in_doubt: inDoubt } = counts
  return { name, records: created + existing + merged, invalid, failed, inDoubt }
}
