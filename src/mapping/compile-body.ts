import type { Workshop } from './columns.ts'
import { compileRule } from './compile-rule.ts'
import type { DocumentPath } from './located-yaml.ts'
import { ruleMarks } from './rule.ts'
import type { Compiled } from './scope.ts'
import { compileTemplate } from './template.ts'

/** Whether an object in `body` is a rule; any other is a nested body object (DESIGN 2.1). */
export const isRule = (node: object): boolean => ruleMarks.some(mark => Object.hasOwn(node, mark))

/** The path one step further down. */
export const join = (path: string, step: string | number): string =>
  path === '' ? String(step) : `${path}.${step}`

/**
 * Makes a node of `body` ready: a constant, a template, a rule, a nested object or a list. `path` is where its value
 * comes to stand in the body, or in the item inside `each`; `at` is where it stands in the mapping file.
 */
export function compileNode(node: unknown, path: string, at: DocumentPath, workshop: Workshop): Compiled {
  if (typeof node === 'string' && node.includes('{{')) return compileTemplate(node, path, at, workshop)
  if (typeof node !== 'object' || node === null)
    return { isDynamic: false, evaluate: () => (node === '' ? undefined : node) }
  if (Array.isArray(node)) return compileList(node, path, at, workshop)
  return isRule(node) ? compileRule(node, path, at, workshop) : compileObject(node, path, at, workshop)
}

function compileObject(node: object, path: string, at: DocumentPath, workshop: Workshop): Compiled {
  const fields = Object.entries(node).map(([name, child]) => ({
    name,
    ...compileNode(child, join(path, name), [...at, name], workshop),
  }))
  const isDynamic = fields.some(field => field.isDynamic)
  return {
    isDynamic,
    evaluate: scope => {
      const body: Record<string, unknown> = {}
      const filledBefore = scope.life.filled
      for (const field of fields) {
        const value = field.evaluate(scope)
        if (value !== undefined) body[field.name] = value
      }
      scope.origins?.set(body, name => fields.find(field => field.name === name)?.columnOf?.(scope))
      return isDynamic && scope.life.filled === filledBefore ? undefined : body
    },
  }
}

/** Items that are lists themselves, as a rule that splits gives them, are flattened. */
function compileList(node: readonly unknown[], path: string, at: DocumentPath, workshop: Workshop): Compiled {
  const items = node.map((child, index) => compileNode(child, join(path, index), [...at, index], workshop))
  return {
    isDynamic: items.some(item => item.isDynamic),
    evaluate: scope => {
      const list = items.flatMap(item => item.evaluate(scope) ?? [])
      return list.length === 0 && items.length > 0 ? undefined : list
    },
  }
}
