import { fileProblem, isProblem } from '../model/problem.ts'
import { present, textOf } from '../model/values.ts'
import { columnLabel, readerOf, type Workshop } from './columns.ts'
import type { DocumentPath } from './located-yaml.ts'
import { type Compiled, dynamic, type Evaluate, refuse, type Scope } from './scope.ts'

const slot = /\{\{(.*?)\}\}/gs

/** Whether a string of the mapping is a template. */
export const isTemplate = (text: string): boolean => text.search(slot) !== -1

interface Slot {
  readonly name: string
  readonly read: Evaluate
  /** The text up to the next slot. */
  readonly after: string
}

/** A text with cells filled in, white space collapsed; empty when every column it names is (DESIGN 2.1). */
export function compileTemplate(text: string, path: string, at: DocumentPath, workshop: Workshop): Compiled {
  const [before = '', ...pieces] = text.split(slot)
  if (text.replaceAll(slot, '').includes('{{')) workshop.yaml.fault(at, fileProblem('open_template'))
  const slots: Slot[] = []
  for (let piece = 0; piece < pieces.length; piece += 2) {
    const name = (pieces[piece] ?? '').trim()
    if (name === '') workshop.yaml.fault(at, fileProblem('empty_template'))
    slots.push({
      name,
      read: readerOf(name, at, workshop),
      after: pieces[piece + 1] ?? '',
    })
  }
  return dynamic(
    scope => fill(before, slots, path, scope),
    scope => slots[0] && columnLabel(slots[0].name, scope),
  )
}

function fill(before: string, slots: readonly Slot[], path: string, scope: Scope): string | undefined {
  let filled = before
  let isEmpty = true
  for (const { name, read, after } of slots) {
    const value = present(read(scope))
    const text = value === undefined ? '' : textOf(value)
    if (isProblem(text)) {
      refuse(scope, path, columnLabel(name, scope), undefined, text)
      return undefined
    }
    if (text !== '') isEmpty = false
    filled += text + after
  }
  return isEmpty ? undefined : filled.replaceAll(/\s+/g, ' ').trim() || undefined
}
