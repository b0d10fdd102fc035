import { nearest } from '../../model/did-you-mean.ts'
import { fileProblem } from '../../model/problem.ts'
import { mappingPath, resolveBeside } from '../../run/paths.ts'
import type { PlanFile } from './plan-file.ts'
import { type LoadedStep, type MigrationStep, placeOfLog } from './step.ts'

export type Dependent = Pick<MigrationStep, 'name' | 'needs'>

/** A circle: each needs the next, the last the first. */
export type Order<S> = { readonly order: readonly S[] } | { readonly circle: readonly string[] }

/** Sorts steps: the next one is always the first in the file whose needs are done. */
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

/** The circle starts with the step that is first in the file. */
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

/** The steps in the order in which they run. Throws a UsageError if they wait for each other. */
export function ordered(steps: readonly MigrationStep[], { yaml }: PlanFile): readonly MigrationStep[] {
  const found = inOrder(steps)
  if ('order' in found) return found.order
  const [first = ''] = found.circle
  yaml.fault(['steps', first], fileProblem('circular_steps', { steps: [...found.circle, first] }), 'key')
  yaml.throwIfFaulty()
  return steps
}

/** Throws a UsageError if two steps have the same result log. */
export function checkLogs(steps: readonly LoadedStep[], { yaml }: PlanFile): void {
  const owners = new Map<string, string>()
  for (const { name, place, results } of steps) {
    const owner = owners.get(place)
    if (owner !== undefined)
      yaml.fault(['steps', name, 'results'], fileProblem('same_results', { name: owner, log: results }))
    owners.set(place, name)
  }
  yaml.throwIfFaulty()
}

/** Throws a UsageError if the plan lets a step need itself, or one that does not exist. */
export function checkNeeds({ steps, yaml }: PlanFile): void {
  const names = steps.map(({ name }) => name)
  for (const { name, needs } of steps)
    for (const [at, needed] of needs.entries()) {
      const fault = needed === name ? fileProblem('step_needs_itself', { name }) : unknownStep(needed, names)
      if (fault !== undefined) yaml.fault(['steps', name, 'needs', at], fault)
    }
  yaml.throwIfFaulty()
}

const unknownStep = (name: string, known: readonly string[]) =>
  known.includes(name)
    ? undefined
    : fileProblem('unknown_step', { name, suggestion: nearest(name, known), known })

/** The steps that lookups name, by name or by result log. Throws a UsageError for the step itself and unknown ones. */
export async function lookedUpBy(step: LoadedStep, steps: readonly LoadedStep[]): Promise<string[]> {
  const mapping = mappingPath(step.settings.mapping ?? '')
  const byResults = new Map<string, string>()
  for (const spec of Object.values(step.mapping.lookupSpecs)) {
    if (!('results' in spec)) continue
    const place = await placeOfLog(resolveBeside(mapping, spec.results))
    const owner = steps.find(each => each.place === place)
    if (owner !== undefined) byResults.set(spec.results, owner.name)
  }
  const names = steps.map(({ name }) => name)
  const found = new Set<string>()
  step.mapping.checkLookups(spec => {
    const name = 'step' in spec ? spec.step : byResults.get(spec.results)
    if (name === undefined) return undefined
    if (name === step.name) return fileProblem('own_step', { name })
    found.add(name)
    return unknownStep(name, names)
  })
  return [...found]
}
