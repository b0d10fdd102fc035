import { readFile } from 'node:fs/promises'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { summaryJsonSchema } from '../../scripts/json-schemas.js'
import { summarySchema } from '../../src/result/summary-schema.ts'
import type { Line } from './rowlift.ts'

const validate = new Ajv2020({ allErrors: true }).compile(summaryJsonSchema(summarySchema))

/** A summary, which must be as its schema says and must account for each of its rows. */
export function checkedSummary(text: string): Line {
  const summary: Line = JSON.parse(text)
  validate(summary)
  if (validate.errors) throw new Error(JSON.stringify(validate.errors, null, 2))
  for (const part of Object.values<Line>(summary.steps ?? { it: summary }) as Line[]) {
    const counts = Object.values<number>(part.row_counts ?? {})
    const sum = counts.reduce((sum, count) => sum + count, 0)
    if (sum !== (part.rows ?? 0)) throw new Error(`${part.rows} rows, but ${sum} by their ends`)
  }
  return summary
}

/** The file of --summary. */
export const summaryIn = async (file: string): Promise<Line> => checkedSummary(await readFile(file, 'utf8'))

/** Values by what is measured, such as `rowlift_rows created` or `rowlift_run_exit_code`; for a step of a plan, with its name. */
export type Metrics = Readonly<Record<string, number>>

const comment = /^# (HELP|TYPE) rowlift_\w+ \S.*$/
const sample = /^(rowlift_\w+)\{((?:\w+="(?:[^"\\\n]|\\[\\"n])*",?)*)\} (\S+)$/

/** A text in Prometheus' format, every line of which must be right, and no line there twice. */
export function checkedMetrics(text: string): Metrics {
  if (!text.endsWith('\n')) throw new Error('the last line has no end')
  const values = new Map<string, number>()
  for (const line of text.split('\n').filter(line => line !== '' && !comment.test(line))) {
    const [, name = '', labels = '', value = ''] = sample.exec(line) ?? []
    const found = Object.fromEntries(
      [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, k, v]) => [k, v]),
    )
    const words = [name, found.step, found.status].filter(word => word !== undefined).join(' ')
    if (name === '' || value === '' || Number.isNaN(Number(value))) throw new Error(`not a sample: ${line}`)
    if (values.has(words)) throw new Error(`twice: ${line}`)
    values.set(words, Number(value))
  }
  return Object.fromEntries(values)
}

/** The file of --metrics. */
export const metricsIn = async (file: string): Promise<Metrics> =>
  checkedMetrics(await readFile(file, 'utf8'))
