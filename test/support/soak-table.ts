// What is measured in a soak, as a table, and what in it grows.

/** What a night came to, and what stood in the ledger after it. */
export interface Night {
  readonly night: number
  /** Since the first one began. */
  readonly minutes: number
  readonly seconds: number
  readonly kills: number
  /** Records that the service has. */
  readonly records: number
  readonly inDoubt: number
  /** The most memory that a worker took. */
  readonly workerMb: number
  /** The most connections of workers at a time, and those that were left once all had ended. */
  readonly connections: number
  readonly connectionsLeft: number
  /** Runs of the import that came to their end. */
  readonly runs: number
  /** Each table with its indexes. */
  readonly tables: Readonly<Record<string, { readonly bytes: number; readonly rows: number }>>
}

export const workerCount = 3

const mb = (bytes: number) => (bytes / 2 ** 20).toFixed(1)
const shown = ['entry', 'line', 'record', 'chunk', 'run']
/** The first two lines of a table of nights. */
export const heading = `| night | minutes | seconds | kills | records | in doubt | worker MB | connections (left) | ${shown.map(name => `${name} MB`).join(' | ')} |\n|${' --: |'.repeat(8 + shown.length)}`

export function lineOf(night: Night): string {
  const { minutes, seconds, workerMb, connections, connectionsLeft, tables } = night
  const sizes = shown.map(name => mb(tables[name]?.bytes ?? 0))
  const cells = [
    ...[night.night, minutes.toFixed(1), seconds.toFixed(1), night.kills, night.records, night.inDoubt],
    ...[workerMb.toFixed(0), `${connections} (${connectionsLeft})`, ...sizes],
  ]
  return `| ${cells.join(' | ')} |`
}

/** Returns a table of some twenty nights, and of the last one. */
export function tableOf(nights: readonly Night[]): string {
  const step = Math.max(1, Math.floor(nights.length / 20))
  const some = nights.filter(({ night }, at) => at % step === 0 || night === nights.length)
  return [heading, ...some.map(lineOf)].join('\n')
}

/** Connections that a worker may have. */
const mostOfWorker = 5
const fewestNights = 9
/** A table of less has room that it did not need yet. */
const smallBytes = 2 ** 20
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
const largest = (values: readonly number[]) => values.reduce((most, value) => Math.max(most, value), 0)

/** Returns what grows without bound, in words: the last third of the nights is compared with the second. */
export function growthIn(nights: readonly Night[]): string[] {
  if (nights.length < fewestNights) return []
  const third = Math.floor(nights.length / 3)
  const [before, after] = [nights.slice(third, 2 * third), nights.slice(2 * third)]
  const grown: string[] = []
  const compare = (what: string, of: (night: Night) => number, most: number, floor: number) => {
    const [first, last] = [mean(before.map(of)), mean(after.map(of))]
    if (last > most * first && last > floor)
      grown.push(`${what} grew from ${first.toFixed(1)} to ${last.toFixed(1)}`)
  }
  for (const name of Object.keys(nights.at(-1)?.tables ?? {})) {
    const bytes = ({ tables }: Night) => tables[name]?.bytes ?? 0
    if (largest(after.map(bytes)) < smallBytes) continue
    compare(
      `bytes for each row of the table ${name}`,
      night => bytes(night) / Math.max(1, night.tables[name]?.rows ?? 0),
      1.3,
      0,
    )
  }
  compare('memory of a worker (MB)', ({ workerMb }) => workerMb, 1.15, 0)
  compare('connections', ({ connections }) => connections, 1, workerCount * mostOfWorker)
  const left = nights.filter(({ connectionsLeft }) => connectionsLeft > 0)
  if (left.length > 0) grown.push(`connections were left after ${left.length} nights`)
  return grown
}
