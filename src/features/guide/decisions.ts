// The columns that a person decided not to import, as comments of the mapping: `# not imported: Birthday`.
import { parseDocument } from 'yaml'
import { word } from '../draft/yaml.ts'

const mark = '# not imported: '

/** The columns of which the text says that they are not imported. */
export function decisionsIn(text: string): ReadonlySet<string> {
  const lines = text.split('\n').filter(line => line.startsWith(mark))
  return new Set(lines.map(line => String(parseDocument(line.slice(mark.length)).toJS())))
}

/** Notes the decision below the list of columns that are not mapped, or at the end. */
export function withDecision(text: string, column: string): string {
  if (decisionsIn(text).has(column)) return text
  return `${text.replace(/\n*$/, '\n')}${mark}${word(column)}\n`
}

/** Takes a decision back, and with `isMapped` also the line of a draft that lists the column as not mapped. */
export function withoutDecision(text: string, column: string, isMapped: boolean): string {
  const listed = `#   ${word(column)}: `
  const kept = text
    .split('\n')
    .filter(line => line !== mark + word(column) && !(isMapped && line.startsWith(listed)))
  return kept.join('\n')
}
