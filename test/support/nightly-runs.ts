import { access, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { fastClock } from './clock.ts'
import { type Metrics, metricsIn, summaryIn } from './end-files.ts'
import { pollOptions } from './polling.ts'
import { folderWith, type Line, linesOf, rowlift, start } from './rowlift.ts'
import type { Ended } from './running.ts'
import { type Reaction, type Service, startService } from './service.ts'

/** A row of the nightly export; one object is one thing, even when its fields change. */
export interface ExportedRow {
  name: string
  email: string
  /** Whether the mapping accepts it. */
  isGood: boolean
}

/** How an import that runs every night is set up. */
export interface NightlyJob {
  readonly mapping: string
  readonly flags: readonly string[]
  /** The export as a file. */
  readonly csv: (rows: readonly ExportedRow[]) => string
  /** By which the service recognizes two contacts as the same. */
  readonly similar?: (body: Line) => string
}

/** Tasks without a key, equal ones among them, which only a person can free of doubt. */
export const tasksWithoutKey: NightlyJob = {
  mapping: `
record: task
body: { name: { from: Name, required: true }, estimated_time: { from: Hours, as: number } }
`,
  flags: ['-c', '2', '--retries', '3'],
  csv: rows => `Name,Hours\n${rows.map(({ name, isGood }) => `${name},${isGood ? '1' : 'many'}\n`).join('')}`,
}

type React = (attempt: number, body: Line) => Reaction

/** The outcome of one nightly run. */
export interface NightResult {
  readonly run: Ended
  /** Undefined where there is no file yet. */
  readonly summary: Line
  readonly metrics: Metrics | undefined
}

/**
 * An import on a machine, night after night, beside what only the test knows: which rows there are, and which of them have
 * their record.
 */
export class NightlyImport {
  readonly rows: ExportedRow[] = []
  /** Rows that should have their record by now. */
  readonly created = new Set<ExportedRow>()
  readonly service: Service
  readonly #cwd: string
  readonly #job: NightlyJob
  #react: React = () => 'create'
  #night = 0
  /** The end of the last run with exit code 0, in seconds; 0 if there was none. */
  #lastSuccess = 0
  #count = 0

  private constructor(
    job: NightlyJob,
    cwd: string,
    service: Service,
    reacting: (react: () => React) => void,
  ) {
    this.#job = job
    this.#cwd = cwd
    this.service = service
    reacting(() => this.#react)
  }

  static async of(job: NightlyJob): Promise<NightlyImport> {
    let reaction: () => React = () => () => 'create'
    const service = await startService({
      react: (attempt, { body }) => reaction()(attempt, body),
      ...(job.similar && { similar: ({ body }) => job.similar?.(body) ?? '' }),
    })
    const cwd = await folderWith({ 'map.yaml': job.mapping })
    return new NightlyImport(job, cwd, service, react => {
      reaction = react
    })
  }

  /** Adds new rows to the export. */
  add(count: number, isGood = true): ExportedRow[] {
    const added = Array.from({ length: count }, () => {
      this.#count += 1
      return { name: `Row ${this.#count}`, email: `row${this.#count}@example.com`, isGood }
    })
    this.rows.push(...added)
    return added
  }

  /** Adds a row that equals all others added by this method. */
  addEqual(): void {
    this.rows.push({ name: 'Call back', email: '', isGood: true })
  }

  /** Removes created rows that have no equal row from the export. */
  remove(count: number): void {
    const gone = this.rows.filter(row => this.created.has(row) && row.email !== '').slice(0, count)
    this.rows.splice(0, this.rows.length, ...this.rows.filter(row => !gone.includes(row)))
  }

  /** Runs one night to its end. */
  async run(react: React = () => 'create'): Promise<NightResult> {
    await this.#startNight(react)
    return this.#checkNight(await this.#rowlift(this.#args()))
  }

  /** Runs a night on which the export is missing. */
  async runWithoutExport(): Promise<NightResult> {
    this.#night += 1
    return this.#checkNight(await this.#rowlift(this.#args()))
  }

  /** Starts a second run while the first waits for input; returns the outcome of each. */
  async runOverlapping(): Promise<{ readonly second: NightResult; readonly first: NightResult }> {
    await this.#startNight(() => 'create')
    const first = start([...this.#args('-'), '--lock-timeout', '1'], { cwd: this.#cwd })
    const before = this.service.calls.length
    first.process.stdin?.write(this.#job.csv(this.rows))
    await expect.poll(() => this.service.calls.length, pollOptions).toBeGreaterThan(before)
    const second = await this.#checkNight(await rowlift(this.#args(), { cwd: this.#cwd }))
    first.process.stdin?.end()
    return { second, first: await this.#checkNight(await first.ended) }
  }

  /** Kills the run once that many calls have arrived, and that many records are logged. */
  async runAndKill(
    due: { readonly calls: number; readonly logged: number },
    react: React,
  ): Promise<NightResult> {
    await this.#startNight(react)
    const before = this.service.calls.length
    const loggedBefore = (await this.loggedIds()).length
    const run = start(this.#args(), { cwd: this.#cwd, stdin: '' })
    await expect.poll(() => this.service.calls.length, pollOptions).toBe(before + due.calls)
    await expect
      .poll(async () => (await this.loggedIds()).length, pollOptions)
      .toBe(loggedBefore + due.logged)
    run.process.kill('SIGKILL')
    return this.#checkNight(await run.ended)
  }

  /** Settles rows in doubt with `resolve`, by the records that the service has. */
  async settleInDoubt(): Promise<void> {
    const listed = await rowlift(['resolve', 'results.ndjson'], { cwd: this.#cwd })
    for (const { key, body } of linesOf(listed.stdout)) {
      const made = this.service.made.find(({ name }) => name === body.name)
      const end = made === undefined ? ['--not-created'] : ['--record-id', made.recordId]
      const run = await rowlift(['resolve', 'results.ndjson', '--key', key, ...end], { cwd: this.#cwd })
      expect(run.exitCode).toBe(0)
    }
    for (const row of this.rows)
      if (this.service.made.some(({ name }) => name === row.name)) this.created.add(row)
  }

  /** The record ids in the result log, with repetitions. */
  async loggedIds(): Promise<string[]> {
    const lines = linesOf(await readFile(join(this.#cwd, 'results.ndjson'), 'utf8'))
    return lines.flatMap(({ record_id }) => record_id ?? [])
  }

  /** Runs the command with a clock that skips waits. */
  #rowlift(args: readonly string[]): Promise<Ended> {
    return rowlift(args, { cwd: this.#cwd, clock: fastClock(new Date()) })
  }

  async #startNight(react: React): Promise<void> {
    this.#night += 1
    this.#react = react
    await writeFile(join(this.#cwd, this.#export), this.#job.csv(this.rows))
  }

  get #export(): string {
    return `export-2026-11-${String(this.#night).padStart(2, '0')}.csv`
  }

  #args(source = this.#export): string[] {
    return [
      ...['import', source, '-m', 'map.yaml', '--base-url', this.service.url, '--organization-id', '7'],
      ...['-o', 'results.ndjson', '--quiet', '--summary', 'summary.json', '--metrics', 'nightly.prom'],
      ...this.#job.flags,
    ]
  }

  /** Reads what a run left, and checks what must be so after any of them. */
  async #checkNight(run: Ended): Promise<NightResult> {
    const has = (name: string) =>
      access(join(this.#cwd, name)).then(
        () => true,
        () => false,
      )
    const summary = (await has('summary.json')) ? await summaryIn(join(this.#cwd, 'summary.json')) : undefined
    const metrics = (await has('nightly.prom')) ? await metricsIn(join(this.#cwd, 'nightly.prom')) : undefined
    if (run.exitCode !== null) this.#checkEnd(run, summary, metrics)
    expect(metrics?.rowlift_last_success_timestamp_seconds ?? 0).toBe(this.#lastSuccess)
    expect(run.stdout).toBe('')
    expect(run.stderr === '').toBe(run.exitCode === 0 || run.exitCode === null)
    return { run, summary, metrics }
  }

  #checkEnd({ exitCode }: Ended, summary: Line, metrics: Metrics | undefined): void {
    if (exitCode === 0) this.#lastSuccess = Date.parse(summary.ended_at) / 1000
    expect(summary.exit_code).toBe(exitCode)
    expect(metrics?.rowlift_run_exit_code).toBe(exitCode)
    const { valid, ...counts } = summary.row_counts ?? {}
    for (const [status, count] of Object.entries(counts))
      expect([status, metrics?.[`rowlift_rows ${status}`]]).toEqual([status, count])
    if (summary.rows === undefined) return
    expect(metrics).toMatchObject({
      rowlift_in_doubt_rows: summary.in_doubt_total,
      rowlift_changed_rows: summary.changed,
      rowlift_attempts_repeated: summary.retries,
      rowlift_attempts_throttled: summary.throttled,
    })
  }
}
