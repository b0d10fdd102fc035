import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { CliContext } from '../../cli/context.ts'
import { loadMapping } from '../../mapping/mapping.ts'
import { visible } from '../../output/text.ts'
import type { LogPart } from '../../result/facts.ts'
import type { PreparedImport } from '../../run/prepared-import.ts'
import { isThere } from '../../store/files/whole-lines.ts'
import { approvalState, approvedMapping } from './approvals.ts'
import { CheckedRows, onlyRows } from './checked-rows.ts'
import { correctedNames, putCorrection } from './corrections.ts'
import { FileFacts } from './file-facts.ts'
import { importFile } from './import-file.ts'
import { type Job, newJob } from './job-state.ts'
import { bits, type RowFilter, RowIndex, type StoredRow } from './row-index.ts'
import { recordView } from './samples.ts'
import { CallError } from './server.ts'
import type { FileNames, Service } from './service.ts'
import type { Of } from './views.ts'

/** A window of the rows of the last check or trial, in the order of the file. */
export interface RowsOf extends Of {
  readonly filter: RowFilter
  readonly from: number
  readonly count: number
  /** Rows of the check, or of the trial; by default those of the one that was last. */
  readonly of?: 'check' | 'try'
}

export interface CorrectionOf extends Of {
  readonly row: number
  readonly cells: Readonly<Record<string, string>>
}

/** The rows of a check, and the mapping and the service that it was made with. */
interface Checked {
  readonly rows: CheckedRows
  readonly mapping: string
  readonly practice: boolean
  readonly isWhole: boolean
}

const mostRows = 200
/** A log with no more records than a trial makes knows few of the first rows. */
const fewRecords = 5
/** A check and a trial leave the files of runs alone. */
const noFiles = { report: undefined, changes: undefined }

const uncheckedError = () =>
  new CallError('unchecked', 'the rows were not checked with the mapping as it is now; check them first')

/** The checks, trials and runs that the page starts, one at a time. */
export class Jobs {
  readonly context: CliContext
  readonly service: Service
  readonly facts: FileFacts
  #job: Job | undefined
  #work: Promise<void> | undefined
  #correcting: Promise<unknown> = Promise.resolve()
  readonly #checks = new Map<string, Checked>()
  readonly #trials = new Map<string, RowIndex>()

  constructor(context: CliContext, service: Service) {
    this.context = context
    this.service = service
    this.facts = new FileFacts(context)
  }

  get state() {
    return this.#job?.state ?? null
  }

  get isRunning(): boolean {
    return this.#job?.own.status === 'running' || this.#job?.own.status === 'stopping'
  }

  /** Log, corrections and approval of a source. */
  async fileState(file: string) {
    const names = this.service.namesOf(file)
    const log = await this.facts.log(names.log, this.isRunning)
    const rows = await this.facts.rows(names.corrected)
    return {
      log: log === undefined ? null : countsOf(log),
      corrected: rows ? { name: basename(names.corrected), rows } : null,
      approval: this.service.practice ? null : await approvalState(names),
    }
  }

  /** Throws a CallError while a job is on. */
  checkIdle(): void {
    if (this.isRunning) throw new CallError('busy', 'a job is on; stop it first, or wait for its end')
  }

  #begin(kind: Job['about']['kind'], file: string, work: (job: Job) => Promise<void>): void {
    this.checkIdle()
    const job = this.#newJob(kind, file)
    this.#job = job
    this.#work = job.run(() => work(job))
  }

  #newJob = (kind: Job['about']['kind'], file: string): Job =>
    newJob({ kind, file, practice: this.service.practice }, this.context.clock, this.#short)

  /** A text with names of files below the folder, in which every character can be seen. */
  #short = (text: string) => visible(text).replaceAll(join(this.context.cwd ?? '.', '/'), '')

  /** Lets calls in flight end. */
  stop(): void {
    if (!this.isRunning || this.#job === undefined) return
    this.#job.own.status = 'stopping'
    this.#job.stop.request({ code: 'signal', params: { signal: 'SIGINT' } })
  }

  /** Stops the job that is on, and waits for its end. */
  async close(): Promise<void> {
    this.stop()
    await this.#work
    for (const { rows } of this.#checks.values()) rows.index.close()
    this.forgetTrials()
  }

  /** A dry run that keeps its rows, and writes what a second person may approve. */
  check = (file: string): void => {
    const { practice, isNamed } = this.service
    const names = this.service.namesOf(file)
    this.#begin('check', file, async job => {
      const index = new RowIndex()
      const rows = new CheckedRows(index, names.corrected, await correctedNames(names.corrected))
      const own = { ...noFiles, dryRun: true, approval: isNamed ? names.approval : undefined }
      let prepared: PreparedImport | undefined
      const complete = (checked: PreparedImport) => {
        prepared = rows.watch(checked)
        return prepared
      }
      const isWhole = await importFile(job, this, { names, own, complete, sink: rows.sink }).catch(error => {
        index.close()
        throw error
      })
      rows.setNear(prepared?.comparison?.groups())
      this.#checks.get(file)?.rows.index.close()
      const mapping = prepared?.mapping.sha256 ?? ''
      this.#checks.set(file, { rows, mapping, practice, isWhole })
    })
  }

  /** The last check of a file, by the mapping as it is. Throws a CallError if there is none. */
  async #checked(file: string): Promise<Checked> {
    const { mapping: path } = this.service.namesOf(file)
    const { sha256 } = await loadMapping(path, path)
    const checked = this.#checks.get(file)
    const isOfNow = checked?.mapping === sha256 && checked.practice === this.service.practice
    if (!isOfNow || !checked.isWhole) throw uncheckedError()
    return checked
  }

  /** Sends the five rows that differ most. */
  try = async (file: string): Promise<void> => {
    const { rows } = await this.#checked(file)
    const chosen = rows.chosen()
    if (chosen.size === 0) throw new CallError('none_sent', 'no row of the check would be sent')
    const names = this.service.namesOf(file)
    this.#begin('try', file, async job => {
      const index = new RowIndex()
      const { sink, watch } = new CheckedRows(index, names.corrected)
      const own = { ...noFiles, rejects: undefined, ...(await this.#sending(names)) }
      const complete = (prepared: PreparedImport) => onlyRows(watch(prepared), names.source, chosen)
      this.#trials.get(file)?.close()
      this.#trials.set(file, index)
      await importFile(job, this, { names, own, complete, sink })
    })
  }

  /** Imports the file and its corrections. What was checked is what is sent, also after this process was killed. */
  run = async (file: string): Promise<void> => {
    const { service, facts } = this
    const names = this.service.namesOf(file)
    const { sha256 } = await loadMapping(names.mapping, names.mapping)
    const begun = service.practice && (await facts.log(names.log))?.opening.mapping_sha256 === sha256
    const isChecked = begun || (await approvedMapping(names)) === sha256
    if (!isChecked && !service.practice) throw uncheckedError()
    if (!isChecked) await this.#checked(file)
    this.#begin('run', file, async job => {
      const { log } = await this.fileState(file)
      const allNew = log !== null && log.records <= fewRecords ? true : undefined
      const changes = log === null ? undefined : names.changes
      const own = { report: names.report, changes, allNew, ...(await this.#sending(names)) }
      await importFile(job, this, { names, own })
      if (await isThere(names.report)) job.own.report = basename(names.report)
    })
  }

  /** Settings of an import that sends: the address, and what was approved. */
  async #sending({ log, approval }: FileNames) {
    const isApproved = this.service.isNamed && (await isThere(approval))
    return { approval: isApproved ? approval : undefined, ...(await this.service.addressFor(log)) }
  }

  rows({ file, filter, from, count, of }: RowsOf) {
    const checked = this.#checks.get(file)?.rows.index
    const { kind, file: last } = this.#job?.about ?? {}
    const isTrial = of === undefined ? kind === 'try' && last === file : of === 'try'
    const index = isTrial ? this.#trials.get(file) : checked
    const stored = index?.window(filter, Math.max(0, from), Math.min(mostRows, count)) ?? []
    const bodyOf = ({ row, body }: StoredRow) => body ?? (isTrial ? checked?.at(row)?.body : undefined)
    const rows = stored.flatMap(row => (index ? this.#view(index, { ...row, body: bodyOf(row) }) : []))
    const { columns = [], counts = {} } = index ?? {}
    /** The version of the mapping that the rows were checked with. */
    const mapping = this.#checks.get(file)?.mapping
    return { mapping, from, columns, rows, counts }
  }

  #view(index: RowIndex, stored: StoredRow) {
    const { row, line, key, status, cells, body, recordId = null, errors = [], notes = [] } = stored
    const noteOf = ({ column, message }: (typeof notes)[number]) => ({
      column: column ?? null,
      text: this.#short(message),
    })
    return {
      ...{ row, line, key, status, recordId, isCorrected: index.has(row, bits.corrected) },
      cells: index.columns.map((_, at) => cells[at] ?? ''),
      errors: errors.map(noteOf),
      notes: notes.map(noteOf),
      record: body === undefined ? null : recordView(typeof body === 'string' ? JSON.parse(body) : body),
      /** Rows that may be the same record. */
      near: index.nearOf(stored),
    }
  }

  /** Puts a corrected row into the file of corrections, and checks it alone; one after the other, for each rewrites the file. */
  correct(input: CorrectionOf) {
    const corrected = this.#correcting.then(() => this.#correct(input))
    this.#correcting = corrected.catch(() => {})
    return corrected
  }

  async #correct({ file, row, cells }: CorrectionOf) {
    this.checkIdle()
    const names = this.service.namesOf(file)
    const { rows } = await this.#checked(file)
    const stored = rows.index.at(row)
    if (stored?.name === undefined) throw new CallError('bad_call', `row ${row} was not refused by the check`)
    if (!rows.isTable && stored.written === undefined)
      throw new CallError('not_read', `row ${row} could not be read, so it can only be corrected in its file`)
    await putCorrection(names.corrected, stored, rows.index.columns, cells)
    await rm(names.approval, { force: true }) // other rows were approved
    rows.replace(stored.name, row)
    const complete = (prepared: PreparedImport) => onlyRows(prepared, names.corrected)
    await importFile(this.#newJob('check', file), this, {
      names,
      own: { ...noFiles, dryRun: true },
      complete,
      sink: rows.sink,
    })
    return this.#view(rows.index, rows.index.at(row) ?? stored)
  }

  /** The rows of the last trial that have a record. */
  triedRows = (file: string): StoredRow[] =>
    (this.#trials.get(file)?.window('all', 0, mostRows) ?? []).filter(
      ({ recordId }) => recordId !== undefined,
    )

  /** Notes that rows of the trial have no record any more. */
  noteForgotten(file: string, keys: ReadonlySet<string>): void {
    for (const row of this.triedRows(file))
      if (keys.has(row.key))
        this.#trials.get(file)?.add({ ...row, status: 'forgotten', recordId: undefined }, 0)
  }

  /** Lets go of the trials, as those of practice are not those of the service. */
  forgetTrials(): void {
    for (const index of this.#trials.values()) index.close()
    this.#trials.clear()
  }
}

/** What a log comes to. */
function countsOf({ name, counts }: LogPart) {
  const { created, existing, merged, invalid, failed, in_doubt: inDoubt } = counts
  return { name, records: created + existing + merged, invalid, failed, inDoubt }
}
