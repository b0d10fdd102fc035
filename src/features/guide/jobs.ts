import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { ulid } from 'ulid'
import type { CliContext } from '../../cli/context.ts'
import { loadMapping } from '../../mapping/mapping.ts'
import { problem } from '../../model/problem.ts'
import { Stop } from '../../model/stop.ts'
import { visible } from '../../output/text.ts'
import { describeError, describeProblem } from '../../output/words.ts'
import type { PreparedImport } from '../../run/prepared-import.ts'
import { lineErrors } from '../../store/files/lines.ts'
import { isThere } from '../../store/files/whole-lines.ts'
import type { FileState, JobState, Routes, RowsView, RowView } from './api.ts'
import { approvalState, approvedMapping } from './approvals.ts'
import { CheckedRows, rowView } from './checked-rows.ts'
import { Corrections } from './corrections.ts'
import { FileFacts } from './file-facts.ts'
import { type FileNames, namesOf } from './file-names.ts'
import { importFile } from './import-file.ts'
import type { ImportOrder } from './import-job.ts'
import { type Job, startJob, stateOfJob } from './job-state.ts'
import { bits, RowIndex, type StoredRow } from './row-index.ts'
import { CallError } from './server.ts'
import type { Service } from './service.ts'
import { chooseRows, onlyRows } from './trial.ts'

/** The rows of a check, and the mapping and the service that it was made with. */
interface Checked {
  readonly rows: CheckedRows
  readonly mapping: string
  readonly practice: boolean
  readonly isWhole: boolean
}

const mostRows = 200
const uncheckedError = () =>
  new CallError('bad_call', 'the rows were not checked with the mapping as it is now; check them first')

/** A log with no more records than a trial makes knows few of the first rows. */
const fewRecords = 5

/** The checks, trials and runs that the page starts, one at a time. */
export class Jobs {
  readonly context: CliContext
  readonly service: Service
  readonly facts: FileFacts
  #job: Job | undefined
  readonly #checks = new Map<string, Checked>()
  readonly #trials = new Map<string, RowIndex>()

  constructor(context: CliContext, service: Service) {
    this.context = context
    this.service = service
    this.facts = new FileFacts(context)
  }

  namesOf = (file: string): FileNames => namesOf(this.context.cwd ?? '.', file, this.service.practice)

  get state(): JobState | null {
    return this.#job === undefined ? null : stateOfJob(this.#job, this.context.clock)
  }

  get isRunning(): boolean {
    return this.#job?.status === 'running' || this.#job?.status === 'stopping'
  }

  /** Log, corrections and approval of a source. */
  async fileState(file: string): Promise<Pick<FileState, 'log' | 'corrected' | 'approval'>> {
    const names = this.namesOf(file)
    const isSending = this.isRunning && this.#job?.kind !== 'check' && this.#job?.file === file
    const [log, corrected, approval] = await Promise.all([
      this.facts.logState(names.log, isSending),
      this.facts.corrected(names.corrected),
      this.service.practice ? null : approvalState(names),
    ])
    return { log, corrected, approval }
  }

  /** Throws a CallError while a job is on. */
  checkIdle(): void {
    if (this.isRunning) throw new CallError('busy', 'a job is on; stop it first, or wait for its end')
  }

  #begin(kind: JobState['kind'], file: string, work: (job: Job) => Promise<void>): void {
    this.checkIdle()
    const { service, context } = this
    const about = { kind, file, practice: service.practice, startedMs: context.clock.elapsedMs() }
    this.#job = startJob(about, work, error => this.#short(describeError(error)))
  }

  /** Lets calls in flight end. */
  stop(): void {
    if (!this.isRunning || this.#job === undefined) return
    this.#job.status = 'stopping'
    this.#job.stop.request({ code: 'signal', params: { signal: 'SIGINT' } })
  }

  /** Stops the job that is on, and waits for its end. */
  async close(): Promise<void> {
    this.stop()
    await this.#job?.done
    for (const { rows } of this.#checks.values()) rows.index.close()
    for (const index of this.#trials.values()) index.close()
  }

  async #newIndex(): Promise<RowIndex> {
    return new RowIndex(join(await this.service.folder.path(), `${ulid()}.rows`))
  }

  #import(job: Job, own: Readonly<Record<string, unknown>>, parts: Partial<ImportOrder>) {
    const about = { names: this.namesOf(job.file), service: this.service, short: this.#short }
    return importFile(job, own, parts, about, this.context)
  }

  /** A dry run that keeps its rows, and writes what a second person may approve. */
  check(file: string): void {
    const { practice, isNamed } = this.service
    this.#begin('check', file, async job => {
      const names = this.namesOf(file)
      const corrections = await new Corrections(names.corrected).names()
      const index = await this.#newIndex()
      const rows = new CheckedRows(index, names.corrected, corrections)
      let prepared: PreparedImport | undefined
      const { end } = await this.#import(
        job,
        {
          dryRun: true,
          report: undefined,
          changes: undefined,
          approval: isNamed ? names.approval : undefined,
        },
        {
          sinks: [rows.sink],
          complete(checked) {
            prepared = rows.watch(checked)
            return prepared
          },
        },
      )
      index.setNear(rows.numbersOf(prepared?.comparison?.groups() ?? []))
      this.#checks.get(file)?.rows.index.close()
      const mapping = prepared?.mapping.sha256 ?? ''
      this.#checks.set(file, { rows, mapping, practice, isWhole: end.finished })
      this.#trials.delete(file)
    })
  }

  /** The last check of a file, by the mapping as it is. Throws a CallError if there is none. */
  async #checked(file: string): Promise<Checked> {
    const names = this.namesOf(file)
    const { sha256 } = await loadMapping(names.mapping, names.mapping)
    const checked = this.#checks.get(file)
    if (checked?.isWhole && checked.mapping === sha256 && checked.practice === this.service.practice)
      return checked
    throw uncheckedError()
  }

  /** Sends the five rows that differ most. */
  async try(file: string): Promise<void> {
    const { rows } = await this.#checked(file)
    const chosen = new Set(chooseRows(rows.index, rows.candidates.values()))
    if (chosen.size === 0) throw new CallError('bad_call', 'no row of the check would be sent')
    this.#begin('try', file, async job => {
      const names = this.namesOf(file)
      const index = await this.#newIndex()
      const sent = new CheckedRows(index, names.corrected, [])
      await this.#import(
        job,
        { rejects: undefined, report: undefined, changes: undefined, ...(await this.#sending(names)) },
        {
          sinks: [sent.sink],
          complete: prepared =>
            onlyRows(sent.watch(prepared), names.source, row => chosen.has(row), chosen.size),
        },
      )
      this.#trials.get(file)?.close()
      this.#trials.set(file, index)
    })
  }

  /** Imports the file and its corrections. What was checked is what is sent, also after this process was killed. */
  async run(file: string): Promise<void> {
    const names = this.namesOf(file)
    const { sha256 } = await loadMapping(names.mapping, names.mapping)
    const begun = this.service.practice
      ? (await this.facts.log(names.log))?.opening.mapping_sha256
      : undefined
    const isChecked = [begun, await approvedMapping(names)].includes(sha256)
    if (!isChecked && !this.service.practice) throw uncheckedError()
    if (!isChecked) await this.#checked(file)
    this.#begin('run', file, async job => {
      const records = (await this.fileState(file)).log?.records ?? 0
      await this.#import(
        job,
        {
          report: names.report,
          changes: (await isThere(names.log)) ? names.changes : undefined,
          ...(records <= fewRecords && { allNew: true }),
          ...(await this.#sending(names)),
        },
        {},
      ).finally(async () => {
        if (await isThere(names.report)) job.report = basename(names.report)
      })
    })
  }

  /** Settings of an import that sends: the address, and what was approved. */
  async #sending({ log, approval }: FileNames) {
    const isApproved = this.service.isNamed && (await isThere(approval))
    return { approval: isApproved ? approval : undefined, ...(await this.service.addressFor(log)) }
  }

  rows({ file, filter, from, count, of }: Routes['rows']['in']): RowsView {
    const checked = this.#checks.get(file)?.rows.index
    const isTrial = of === undefined ? this.#job?.kind === 'try' && this.#job.file === file : of === 'try'
    const index = isTrial ? this.#trials.get(file) : checked
    if (index === undefined) return { total: 0, from, columns: [], rows: [], sent: 0, counts: {} }
    const { total, rows } = index.window(filter, Math.max(0, from), Math.min(mostRows, Math.max(0, count)))
    const bodyOf = ({ row, body }: StoredRow) => body ?? (isTrial ? checked?.at(row)?.body : undefined)
    const views = rows.map(row => this.#view(index, { ...row, body: bodyOf(row) }))
    return { total, from, columns: index.columns, rows: views, sent: index.sent, counts: index.counts }
  }

  #view(index: RowIndex, stored: StoredRow): RowView {
    const view = rowView(index, stored)
    return { ...view, errors: view.errors.map(({ column, text }) => ({ column, text: this.#short(text) })) }
  }

  /** A text with names of files below the folder, in which every character can be seen. */
  #short = (text: string) => visible(text).replaceAll(join(this.context.cwd ?? '.', '/'), '')

  /** Puts a corrected row into the file of corrections, and checks it alone. */
  async correct({ file, row: number, cells }: Routes['correct']['in']): Promise<RowView> {
    this.checkIdle()
    const names = this.namesOf(file)
    const { rows } = await this.#checked(file)
    const { index } = rows
    const stored = index.at(number)
    if (stored?.name === undefined)
      throw new CallError('bad_call', `row ${number} was not refused by the check`)
    const { name } = stored
    await new Corrections(names.corrected).put(stored, index.columns, cells)
    await rm(names.approval, { force: true }) // other rows were approved
    rows.replace(name, number)
    const job = { file, stop: new Stop(), notices: [], startedMs: 0 } as unknown as Job
    await this.#import(
      job,
      { dryRun: true, report: undefined, changes: undefined },
      {
        sinks: [rows.sink],
        complete: prepared => onlyRows(prepared, names.corrected, () => true, Number.POSITIVE_INFINITY),
      },
    )
    const now = index.at(number) as StoredRow
    const other = now.status === 'valid' ? index.rowWithKey(now.key, number) : undefined
    if (other === undefined) return this.#view(index, now)
    const conflict = problem('conflict', { source: file, row: other, differs: undefined })
    const errors = lineErrors([conflict], describeProblem)
    index.add(
      { ...now, status: 'duplicate', sameAs: other, errors },
      bits.refused | bits.conflicts | bits.corrected,
    )
    return this.#view(index, index.at(number) as StoredRow)
  }

  /** Notes that rows of the trial have no record any more. */
  noteForgotten(file: string, keys: ReadonlySet<string>): void {
    const index = this.#trials.get(file)
    for (const row of index?.window('all', 0, mostRows).rows ?? [])
      if (keys.has(row.key)) index?.add({ ...row, status: 'forgotten', recordId: undefined }, 0)
  }
}
