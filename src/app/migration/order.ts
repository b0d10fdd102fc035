/** What has a name, and needs others to be done before it. */
export interface Dependent {
  readonly name: string
  readonly needs: readonly string[]
}

/** Steps in an order in which each can begin when its turn comes, or the names of those that wait for each other. */
export type Order<S> =
  | { readonly order: readonly S[] }
  /** Each needs the next one, the last the first. */
  | { readonly circle: readonly string[] }

/** Puts steps in order: the next one is always the first, as they stand in the file, whose needs are done. */
export function inOrder<S extends Dependent>(steps: readonly S[]): Order<S> {
  const done = new Set<string>()
  const order: S[] = []
  let left = steps
  while (left.length > 0) {
    const next = left.find(step => step.needs.every(name => done.has(name)))
    if (next === undefined) return { circle: circleIn(left) }
    order.push(next)
    done.add(next.name)
    left = left.filter(step => step !== next)
  }
  return { order }
}

/** A circle among steps of which each needs another one of them; it begins with the one that stands first. */
function circleIn(steps: readonly Dependent[]): string[] {
  const byName = new Map(steps.map(step => [step.name, step]))
  const path: string[] = []
  let name = steps[0]?.name
  while (name !== undefined && !path.includes(name)) {
    path.push(name)
    name = byName.get(name)?.needs.find(needed => byName.has(needed))
  }
  const circle = path.slice(path.indexOf(name ?? ''))
  const first = steps.find(step => circle.includes(step.name))?.name ?? ''
  const at = circle.indexOf(first)
  return [...circle.slice(at), ...circle.slice(0, at)]
}
