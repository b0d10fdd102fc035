import { stringify } from 'yaml'
import type { Drafted } from './drafted.ts'
import type { Relation } from './relations.ts'
import { comment, quote, wrapped } from './yaml.ts'

/** The plan of drafts; `left` are relations that would make a circle. */
export function planText(files: readonly Drafted[], left: readonly Relation[]): string {
  const imports = files.filter(({ kind }) => kind !== 'users')
  const users = files.filter(({ kind }) => kind === 'users')
  const notes = [
    'A draft of a migration: its imports in the order in which they need each other. All paths are relative to this file.',
    ...users.map(
      ({ path }) => `${path} is no import, but the table in which the others find the ids of users.`,
    ),
    ...left.map(
      ({ from, to, column }) =>
        `? ${quote(column.name)} of ${from.path} names rows of ${to.path}, which refers back: a circle. These links are left out. Can they be done without?`,
    ),
  ]
  const steps = Object.fromEntries(
    imports.map(({ step, path }) => [step, { source: path, mapping: `${step}.yaml` }]),
  )
  const service = ['', '# base-url: https://api.example.com', '# organization-id: 42']
  return [...notes.map(comment).flatMap(wrapped), ...service, stringify({ steps }, { lineWidth: 0 })].join(
    '\n',
  )
}
