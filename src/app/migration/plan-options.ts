import type { z } from 'zod'
import { explained } from '../../mapping/explained.ts'
import { importOptions } from '../import-options.ts'
import { importSettings } from '../import-settings.ts'

export type Option = keyof typeof importOptions

const options = Object.keys(importOptions) as Option[]

/** What each step says for itself, and nobody for it. */
export const ofOneStep = [
  'mapping',
  'results',
  'preview',
  'rejects',
  'format',
  'delimiter',
  'encoding',
] as const
/** What holds for a whole plan. */
const ofAllSteps: readonly Option[] = ['report', 'summary', 'metrics', 'quiet', 'log-level', 'log-format']
/** What is said when a plan is run, and never in it. */
const ofTheCommand: readonly Option[] = ['plan', 'config', 'dry-run']

/** The options whose values are paths: a plan names files relative to itself. */
export const pathOptions = options.filter(option => 'isPath' in importOptions[option])

const isOneOf = (options: readonly Option[], option: Option) => options.includes(option)

/** What may stand in the part of a plan that is common to all steps, where a step can say otherwise. */
export const commonOptions = options.filter(
  option => !isOneOf(ofOneStep, option) && !isOneOf(ofTheCommand, option),
)

/** What may stand in a step. */
export const stepOptions = options.filter(
  option => !isOneOf(ofAllSteps, option) && !isOneOf(ofTheCommand, option),
)

/** The options as parts of a schema, each explained as the help does. */
export const shapeOf = (names: readonly Option[]): Readonly<Record<never, z.ZodType>> =>
  Object.fromEntries(
    names.map(name => [
      name,
      explained(importSettings.shape[name].optional(), importOptions[name].describe, ...examplesOf(name)),
    ]),
  )

const examples: { readonly [name in Option]?: unknown } = {
  'base-url': 'https://api.example.com',
  'organization-id': 42,
  'api-version': '1.0',
  'token-file': '/etc/rowlift/token',
  'max-failures': '5%',
  'lock-timeout': 60,
  rate: 20,
  limit: 5,
  concurrency: 10,
  retries: 5,
  timeout: 120,
  preview: 'people.fates.ndjson',
  rejects: 'people.rejects.csv',
  format: 'csv',
  delimiter: ';',
  encoding: 'windows-1252',
  delivery: 'at-most-once',
  'in-doubt': 'hold',
  'allow-http': true,
  'use-created': true,
  report: 'migration.html',
  summary: 'migration.summary.json',
  metrics: '/var/lib/node_exporter/migration.prom',
  quiet: true,
  'log-level': 'info',
  'log-format': 'json',
}

const examplesOf = (name: Option) => (examples[name] === undefined ? [] : [examples[name]])
