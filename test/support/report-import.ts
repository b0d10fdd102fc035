import { logPart } from '../../src/run/page.ts'
import { watching } from './context.ts'
import { importing as importingTasks } from './imports.ts'
import { rowlift } from './rowlift.ts'
import type { ServiceOptions } from './service.ts'

/** Sets up an import of tasks, with its part of the page and its `report` command. */
export async function importForReport(count: number, options: ServiceOptions = {}) {
  const { cwd, log: path, ...importer } = await importingTasks(count, options)
  return {
    ...importer,
    cwd,
    part: () => logPart(path, 'results.ndjson', watching),
    report: (...words: string[]) => rowlift(['report', ...words], { cwd }),
  }
}

/** The row numbers of a page with their statuses. */
export const rowsOf = (rows: readonly { readonly row: number; readonly status: string }[]) =>
  rows.map(({ row, status }) => `${row} ${status}`)
