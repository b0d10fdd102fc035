/** A node of an expression's syntax, as far as it is looked at. */
interface SyntaxNode {
  readonly type?: string
  readonly value?: unknown
  readonly steps?: readonly SyntaxNode[]
}

const isNode = (value: unknown): value is SyntaxNode => typeof value === 'object' && value !== null

/** The keys of the row that an expression begins its paths with: what its paths find further down is not of the row. */
export function columnsIn(syntax: unknown): string[] {
  if (!isNode(syntax) || syntax.type === 'transform' || syntax.type === 'sort') return []
  const [first] = syntax.steps ?? []
  if (first?.type === 'variable' && first.value === '$') return columnsIn({ steps: syntax.steps?.slice(1) })
  if (first !== undefined) return first.type === 'name' ? [String(first.value)] : columnsIn(first)
  return [...new Set(Object.values(syntax).flatMap(columnsIn))]
}

const functionsToWatch: readonly unknown[] = ['distinct', 'pad']

/** Whether one step of an expression can take long: a regular expression, a range, or a function that compares everything with everything. */
export function hasLongSteps(syntax: unknown): boolean {
  if (!isNode(syntax)) return false
  const { type, value } = syntax
  if (type === 'regex' || value === '..' || (type === 'variable' && functionsToWatch.includes(value)))
    return true
  return Object.values(syntax).some(hasLongSteps)
}
