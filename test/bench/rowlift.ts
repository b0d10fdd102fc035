import { fileURLToPath } from 'node:url'
import { type Ended, runToSuccess } from './children.ts'
import { type Measured, runMeasured } from './measured.ts'
import { certificateFile } from './tls.ts'

const main = fileURLToPath(new URL('../../../dist/bin/rowlift.cjs', import.meta.url))
const inModules = fileURLToPath(new URL('./in-modules.js', import.meta.url))
export const mapping = fileURLToPath(new URL('../../../test/bench/contacts.yaml', import.meta.url))

/** What all who call the service send with each call. */
export const token = 'bench'
/** Where the calls of the mapping go to. */
export const createPath = '/v1.0/record/contact/create/7?use_created=true'

/** Of all that the machine sets, Node is told of its private authorities only, for to read these is a part of each start. */
export const environment = {
  PATH: process.env.PATH,
  NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS,
  ROWLIFT_TOKEN: token,
}

/** Of those who call a service, which may have a certificate that no machine trusts. */
export const environmentFor = (url: string): typeof environment =>
  url.startsWith('https:') ? { ...environment, NODE_EXTRA_CA_CERTS: certificateFile } : environment

/** Runs the built command, which has to succeed. */
export const rowlift = (args: readonly string[]): Promise<Ended> =>
  runToSuccess(process.execPath, [main, ...args], { env: environment })

/** The words of an import. Without a concurrency it is the default one. */
export const importArgs = (source: string, log: string, url: string, concurrency?: number): string[] => [
  ...['import', source, '--mapping', mapping, '--results', log],
  ...['--base-url', url, '--organization-id', '7'],
  ...(concurrency === undefined ? [] : ['--concurrency', String(concurrency)]),
]

/** Where the workers of an import meet. */
export interface LedgerPlace {
  readonly ledger: string
  readonly name: string
}

/** The words of a worker. */
export const ledgerArgs = (
  source: string,
  { ledger, name }: LedgerPlace,
  url: string,
  concurrency: number,
): string[] => [
  ...['import', source, '--mapping', mapping, '--ledger', ledger, '--import', name, '--new-log'],
  ...['--base-url', url, '--organization-id', '7', '--concurrency', String(concurrency)],
]

/** The words of a dry run. */
export const dryRunArgs = (source: string, ...more: string[]): string[] => [
  ...['import', source, '--mapping', mapping, '--dry-run'],
  ...more,
]

/**
 * Runs the built command and tells what its process took; `usageFile` is where that is kept meanwhile. With `nodeFlags`, which are for
 * the profiler, it runs without its bundle.
 */
export const measuredRowlift = (
  args: readonly string[],
  usageFile: string,
  nodeFlags: readonly string[] = [],
  env: NodeJS.ProcessEnv = environment,
): Promise<Measured> =>
  runMeasured([...nodeFlags, nodeFlags.length > 0 ? inModules : main, ...args], usageFile, env)

/** The fields of the summary that a run logs at its end. */
export interface Summary {
  readonly duration_ms: number
  /** Of a dry run: rows that an import would send. */
  readonly valid: number
  /** Rows that have their record from an earlier run. */
  readonly done: number
}

/** Reads it from what the run said. */
export function summaryOf({ stderr }: Ended): Summary {
  const line = stderr.split('\n').find(each => each.includes('"msg":"summary"'))
  if (line === undefined) throw new Error('a run ended without a summary')
  return JSON.parse(line)
}
