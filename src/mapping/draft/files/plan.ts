import { stringify } from 'yaml'
import { asked, comment, quote, wrapped } from '../yaml.ts'
import type { Drafted } from './drafted.ts'
import { isUsable, type Relation } from './relations.ts'

/** The plan of drafts. */
export function planText(
  imports: readonly Drafted[],
  users: readonly Drafted[],
  relations: readonly Relation[],
): string {
  const schema = imports[0]?.found.schema?.replace('mapping.schema', 'plan.schema') ?? ''
  const notes = [
    `yaml-language-server: $schema=${schema}`,
    'A draft of a migration: its imports in the order in which they need each other. All paths are relative to this file.',
    ...users.map(({ path }) => `${path} is no import, but the table of users for the others.`),
    ...relations.filter(relation => !isUsable(relation)).map(leftOut),
  ]
  const steps = Object.fromEntries(
    imports.map(({ step, path }) => [step, { source: path, mapping: `${step}.yaml` }]),
  )
  const service = ['', '# base-url: https://api.example.com', '# organization-id: 42', '']
  return (
    [...notes.map(comment).flatMap(wrapped), ...service].join('\n') + stringify({ steps }, { lineWidth: 0 })
  )
}

function leftOut({ from, to, column, by, isBack }: Relation): string {
  const why = isBack
    ? 'that file refers back: a circle'
    : 'rows there share their names, and no column is a key'
  return asked(
    `${quote(column.name)} of ${from.path} names rows of ${to.path} by ${quote(by)}, but ${why}. These links are left out. Can they be done without?`,
  )
}
