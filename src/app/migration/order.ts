import { nearest } from '../../mapping/did-you-mean.ts'
import type { Mapping } from '../../mapping/mapping.ts'
import { fileProblem } from '../../model/problem.ts'
import { mappingPath, resolveBeside } from '../paths.ts'
import type { PlanFile, StepInFile } from './plan-file.ts'
import { type LoadedStep, placeOfLog, type Step } from './step.ts'

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

/** Throws a UsageError where two steps have one result log. */
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

/** Throws a UsageError where the plan says that a step needs itself, or one that there is none of. */
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

/**
 * The steps that the lookups of a step's mapping name, by name or by the path of their results. Throws a UsageError that tells
 * where a lookup names the step itself, or one that there is none of.
 */
export async function lookedUpBy(step: LoadedStep, steps: readonly LoadedStep[]): Promise<string[]> {
  const byPath = await stepsByPath(step.mapping, mappingPath(step.settings.mapping ?? ''), steps)
  const names = steps.map(({ name }) => name)
  const named = (spec: { step: string } | { results: string }) =>
    'step' in spec ? spec.step : byPath.get(spec.results)
  const found: string[] = []
  step.mapping.checkLookups(spec => {
    const name = named(spec)
    if (name === undefined) return undefined
    if (name === step.name) return fileProblem('own_step', { name })
    found.push(name)
    return unknownStep(name, names)
  })
  return [...new Set(found)]
}

/** The steps whose result logs a mapping names, by what it calls them. */
async function stepsByPath(
  { lookupSpecs }: Mapping,
  path: string,
  steps: readonly LoadedStep[],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  for (const spec of Object.values(lookupSpecs)) {
    if (!('results' in spec)) continue
    const place = await placeOfLog(resolveBeside(path, spec.results))
    const step = steps.find(each => each.place === place)
    if (step !== undefined) found.set(spec.results, step.name)
  }
  return found
}

/** The steps in the order in which they run. Throws a UsageError where they wait for each other. */
export function ordered(steps: readonly Step[], { yaml }: PlanFile): readonly Step[] {
  const found = inOrder(steps)
  if ('order' in found) return found.order
  const [first = ''] = found.circle
  yaml.fault(['steps', first], fileProblem('circular_steps', { steps: [...found.circle, first] }), 'key')
  yaml.throwIfFaulty()
  return steps
}

/** What the plan says that a step needs, and what its lookups tell. */
export const allNeeds = ({ needs }: Pick<StepInFile, 'needs'>, looksUpIn: readonly string[]): string[] => [
  ...new Set([...needs, ...looksUpIn]),
]
