import { folderWith } from './rowlift.ts'
import type { Service } from './service.ts'

/** The words of an import that several machines share. */
export const sharing = (service: Pick<Service, 'url'>, ledger: string, name: string, ...more: string[]) => [
  ...['import', 'tasks.csv', '-m', 'task.yaml', '--base-url', service.url, '--organization-id', '7'],
  ...['--ledger', ledger, '--import', name, ...more],
]

/** A folder as each machine has it: its own copy of the source and the mapping. */
export const machine = (source: string, mapping: string) =>
  folderWith({ 'tasks.csv': source, 'task.yaml': mapping })
