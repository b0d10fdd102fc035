import { nearest } from '../model/did-you-mean.ts'
import { fileProblem, isProblem, problem } from '../model/problem.ts'
import { addTo, present, textOf } from '../model/values.ts'
import { plainWords } from '../settings/located-yaml.ts'
import { type CompileContext, columnLabel, compileReader, inField, inPart } from './columns.ts'
import { compiledRule } from './compiled-rule.ts'
import { isRule, type NoteFault, noteRuleFaults, type Rule, ruleSchema, slotPattern } from './rule.ts'
import { type Compiled, locate, longestText } from './scope.ts'
import { noteSettingFaults } from './transforms/transform.ts'

/** Compiles a node of `body`, and notes its faults. */
export function compileNode(node: unknown, context: CompileContext): Compiled {
  if (typeof node === 'string' && node.includes('{{')) return compileTemplate(node, context)
  if (typeof node !== 'object' || node === null)
    return { isDynamic: false, evaluate: () => (node === '' ? undefined : node) }
  if (Array.isArray(node)) return compileList(node, context)
  return isRule(node) ? compileRule(node, context) : compileObject(node, context)
}

function compileObject(object: object, context: CompileContext): Compiled {
  const fields = Object.entries(object).map(([name, child]) => ({
    name,
    node: compileNode(child, inField(context, name)),
  }))
  const isDynamic = fields.some(({ node }) => node.isDynamic)
  return {
    isDynamic,
    evaluate: scope => {
      const body: Record<string, unknown> = {}
      const countBefore = scope.values.count
      for (const { name, node } of fields) {
        const value = node.evaluate(scope)
        if (value !== undefined) body[name] = value
      }
      scope.origins?.set(body, step => fields.find(({ name }) => name === step)?.node.columnOf?.(scope))
      return isDynamic && scope.values.count === countBefore ? undefined : body
    },
  }
}

/** Items that are lists, as of a rule with `split`, are flattened. */
function compileList(list: readonly unknown[], context: CompileContext): Compiled {
  const nodes = list.map((child, index) => compileNode(child, inField(context, index)))
  return {
    isDynamic: nodes.some(({ isDynamic }) => isDynamic),
    evaluate: scope => {
      const items: unknown[] = []
      for (const node of nodes) addTo(items, node.evaluate(scope) ?? undefined)
      return items.length === 0 && nodes.length > 0 ? undefined : items
    },
  }
}

function compileRule(node: object, outer: CompileContext): Compiled {
  const parsed = ruleSchema.safeParse(node, plainWords)
  if (!parsed.success) {
    outer.yaml.faultsOf(parsed.error, outer.at, () => Object.keys(ruleSchema.shape))
    return { isDynamic: true, evaluate: () => undefined }
  }
  const rule = parsed.data
  const context = rule.optional === undefined ? outer : { ...outer, isOptional: rule.optional }
  noteFaults(rule, context)
  if (!context.inEach) context.columns.rules.push(rule)
  const inEach = { ...inPart(context, 'each'), path: '', inEach: true }
  const usual = compileNode(rule.default, inPart(context, 'default'))
  return compiledRule(rule, context, usual, compileNode(rule.each, inEach))
}

function noteFaults(rule: Rule, { yaml, lookupNames, at }: CompileContext): void {
  const note: NoteFault = (part, fault) => yaml.fault([...at, part], fault)
  noteRuleFaults(rule, note)
  noteSettingFaults(rule, note)
  const { lookup: name } = rule
  if (name === undefined || lookupNames.includes(name)) return
  note('lookup', fileProblem('unknown_lookup', { name, suggestion: nearest(name, lookupNames) }))
}

/** White space that is not one blank. */
const uneven = /\s\s|[^\S ]/

/** Compiles a text with columns in it. White space is collapsed; the text is empty if all its cells are. */
function compileTemplate(text: string, context: CompileContext): Compiled {
  const { yaml, at, path } = context
  const [before = '', ...pieces] = text.split(slotPattern)
  if (text.replaceAll(slotPattern, '').includes('{{')) yaml.fault(at, fileProblem('unclosed_template'))
  const slots = pieces.flatMap((piece, index) => {
    if (index % 2 === 1) return [] // the text after a column
    const name = piece.trim()
    if (name === '') yaml.fault(at, fileProblem('empty_template'))
    return { name, read: compileReader(name, context), after: pieces[index + 1] ?? '' }
  })
  return {
    isDynamic: true,
    columnOf: scope => slots[0] && columnLabel(slots[0].name, scope),
    evaluate: scope => {
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
      const even = isEmpty ? '' : (uneven.test(filled) ? filled.replaceAll(/\s+/g, ' ') : filled).trim()
      if (even === '') return undefined
      scope.values.count += 1
      return even
    },
  }
}
