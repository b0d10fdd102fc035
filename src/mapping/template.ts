import { fileProblem, isProblem, problem } from '../model/problem.ts'
import { present, textOf } from '../model/values.ts'
import type { DocumentPath } from '../settings/located-yaml.ts'
import { type CompileContext, columnLabel, compileReader } from './columns.ts'
import { type Compiled, dynamicNode, type Evaluate, locate, longestText, type Scope } from './scope.ts'

const slotPattern = /\{\{(.*?)\}\}/gs

export const isTemplate = (text: string): boolean => text.search(slotPattern) !== -1

interface Slot {
  readonly name: string
  readonly read: Evaluate
  readonly after: string
}

/** Compiles a text with columns in it. White space is collapsed; the text is empty if all its cells are. */
export function compileTemplate(
  text: string,
  path: string,
  at: DocumentPath,
  context: CompileContext,
): Compiled {
  const [before = '', ...pieces] = text.split(slotPattern)
  if (text.replaceAll(slotPattern, '').includes('{{'))
    context.yaml.fault(at, fileProblem('unclosed_template'))
  const slots: Slot[] = []
  for (let piece = 0; piece < pieces.length; piece += 2) {
    const name = (pieces[piece] ?? '').trim()
    if (name === '') context.yaml.fault(at, fileProblem('empty_template'))
    slots.push({ name, read: compileReader(name, at, context), after: pieces[piece + 1] ?? '' })
  }
  return dynamicNode(
    scope => fillTemplate(before, slots, path, scope),
    scope => slots[0] && columnLabel(slots[0].name, scope),
  )
}

/** White space that is not one blank. */
const uneven = /\s\s|[^\S ]/

function fillTemplate(
  before: string,
  slots: readonly Slot[],
  path: string,
  scope: Scope,
): string | undefined {
  let filled = before
  let isEmpty = true
  for (const { name, read, after } of slots) {
    const value = present(read(scope))
    const text = filled.length > longestText ? problem('result_too_large') : textOf(value ?? '')
    if (isProblem(text)) {
      scope.errors.push({ ...locate(scope, path, columnLabel(name, scope), undefined), ...text })
      return undefined
    }
    if (text !== '') isEmpty = false
    filled += text + after
  }
  if (isEmpty) return undefined
  return (uneven.test(filled) ? filled.replaceAll(/\s+/g, ' ') : filled).trim() || undefined
}
