import type { Mapping } from '../../mapping/mapping.ts'
import { nearest } from '../../model/did-you-mean.ts'
import { fileProblem } from '../../model/problem.ts'
import { placeOf } from '../../run/file-conflicts.ts'
import { mappingPath, resolveBeside } from '../../run/paths.ts'
import type { Step } from '../../run/plan.ts'
import { resolveLink } from '../../store/files/result-log.ts'
import type { PlanFile } from './plan-file.ts'

export interface LoadedStep extends Step {
  readonly name: string
  readonly mapping: Mapping
  /** The path of its result log; `place` is equal for all paths of that file. */
  readonly results: string
  readonly place: string
  /** The steps that must end before this one; once it is sorted, those of its lookups included. */
  readonly needs: readonly string[]
}

export type MigrationStep = LoadedStep & { readonly looksUpIn: readonly string[] }

/** Returns what is equal for all paths of one result log, through links, whether it exists yet or not. */
export const placeOfLog = async (path: string): Promise<string> => placeOf(await resolveLink(path))

export type Dependent = Pick<MigrationStep, 'name' | 'needs'>

/** Order of steps, or a circle: each needs the next, the last the first. */
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

/** Finds a circle in steps that all wait; it starts with the step that is first in the file. */
function circleIn(steps: readonly Dependent[]): string[] {
  const byName = new Map(steps.map(step => [step.name, step]))
  const nextOf = (name: string) => byName.get(name)?.needs.find(needed => byName.has(needed)) ?? name
  const pathFrom = (start = '') => {
    const path: string[] = []
    for (let name = start; !path.includes(name); name = nextOf(name)) path.push(name)
    return path
  }
  const circle = pathFrom(pathFrom(steps[0]?.name).at(-1)) // a path ends within its circle
  return pathFrom(steps.find(({ name }) => circle.includes(name))?.name)
}

/** Returns the steps in the order in which they run. Throws a UsageError if one needs what it cannot have, or a log is that of two. */
export async function sortSteps(
  loaded: readonly LoadedStep[],
  { yaml }: PlanFile,
): Promise<readonly MigrationStep[]> {
  const names = loaded.map(({ name }) => name)
  for (const [at, { name, place, results: log, needs }] of loaded.entries()) {
    const owner = loaded.slice(0, at).findLast(step => step.place === place)?.name
    if (owner !== undefined)
      yaml.fault(['steps', name, 'results'], fileProblem('same_results', { name: owner, log }))
    for (const [item, needed] of needs.entries()) {
      const fault = needed === name ? fileProblem('step_needs_itself', { name }) : unknownStep(needed, names)
      if (fault !== undefined) yaml.fault(['steps', name, 'needs', item], fault)
    }
  }
  yaml.throwIfFaulty()
  const steps: MigrationStep[] = []
  for (const step of loaded) {
    const looksUpIn = await lookedUpBy(step, loaded)
    steps.push({ ...step, looksUpIn, needs: [...step.needs, ...looksUpIn] })
  }
  const sorted = inOrder(steps)
  if ('order' in sorted) return sorted.order
  const [first = ''] = sorted.circle
  const circle = fileProblem('circular_steps', { steps: [...sorted.circle, first] })
  yaml.fault(['steps', first], circle, 'key')
  yaml.throwIfFaulty()
  return steps
}

const unknownStep = (name: string, known: readonly string[]) =>
  known.includes(name)
    ? undefined
    : fileProblem('unknown_step', { name, suggestion: nearest(name, known), known })

/** Finds the steps that lookups name, by name or by result log. Throws a UsageError for the step itself and unknown ones. */
async function lookedUpBy(step: LoadedStep, steps: readonly LoadedStep[]): Promise<string[]> {
  const mapping = mappingPath(step.settings.mapping ?? '')
  const byResults = new Map<string, string | undefined>()
  for (const spec of Object.values(step.mapping.lookupSpecs)) {
    if (!('results' in spec)) continue
    const place = await placeOfLog(resolveBeside(mapping, spec.results))
    byResults.set(spec.results, steps.find(each => each.place === place)?.name)
  }
  const names = steps.map(each => each.name)
  const needed = new Set<string>()
  step.mapping.checkLookups(spec => {
    const name = 'step' in spec ? spec.step : 'results' in spec ? byResults.get(spec.results) : undefined
    if (name === undefined) return undefined
    if (name === step.name) return fileProblem('own_step', { name })
    needed.add(name)
    return unknownStep(name, names)
  })
  return [...needed]
}
