import { stringify } from 'yaml'
import { asked, comment, quote, wrapped } from '../yaml.ts'
import { type Drafted, isImport } from './drafted.ts'
import type { Relation } from './relations.ts'

const reasons = {
  circle: 'that file refers back: a circle',
  keyless: 'rows there share their names, and no column is a key',
}

/** The plan of drafts. */
export function planText(files: readonly Drafted[], relations: readonly Relation[]): string {
  const imports = files.filter(isImport)
  const users = files.filter(file => !isImport(file))
  const schema = files[0]?.found.schema?.replace('mapping.schema', 'plan.schema') ?? ''
  const notes = [
    `yaml-language-server: $schema=${schema}`,
    'A draft of a migration: its imports in the order in which they need each other. All paths are relative to this file.',
    ...users.map(({ path }) => `${path} is no import, but the table of users for the others.`),
    ...relations.flatMap(leftOut),
  ].map(comment)
  const steps = Object.fromEntries(
    imports.map(({ step, path }) => [step, { source: path, mapping: `${step}.yaml` }]),
  )
  const service = ['', '# base-url: https://api.example.com', '# organization-id: 42']
  return [...notes.flatMap(wrapped), ...service, stringify({ steps }, { lineWidth: 0 })].join('\n')
}

function leftOut({ from, to, column, by, left }: Relation): string[] {
  const names = `${quote(column.name)} of ${from.path} names rows of ${to.path} by ${quote(by)}`
  const question = 'These links are left out. Can they be done without?'
  return left ? [asked(`${names}, but ${reasons[left]}. ${question}`)] : []
}
