import { logPart } from '../../src/app/page.ts'
import { watching } from './context.ts'
import { importing as importingTasks } from './imports.ts'
import { rowlift } from './rowlift.ts'
import type { ServiceOptions } from './service.ts'

/** So many tasks in a folder, a service for them, and what is told of their import. */
export async function importForReport(count: number, options: ServiceOptions = {}) {
  const { cwd, log: path, ...importer } = await importingTasks(count, options)
  return {
    ...importer,
    cwd,
    part: () => logPart(path, 'results.ndjson', watching),
    report: (...words: string[]) => rowlift(['report', ...words], { cwd }),
  }
}

/** The rows of a page, each with what became of it. */
export const rowsOf = (rows: readonly { readonly row: number; readonly status: string }[]) =>
  rows.map(({ row, status }) => `${row} ${status}`)
