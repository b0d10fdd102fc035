import { type Stage, stageOf } from './stages.ts'

/** A profile as `node --cpu-prof` writes it, as far as it is needed. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[]
  /** The node in which each sample was taken. */
  readonly samples: readonly number[]
  /** Microseconds from the sample before. */
  readonly timeDeltas: readonly number[]
}

interface ProfileNode {
  readonly id: number
  readonly callFrame: { readonly functionName: string; readonly url: string }
  readonly children?: readonly number[]
}

/** Besides the stages: the garbage collector, and what the thread does outside of JavaScript, system calls above all. */
export type Share = Stage | 'garbage' | 'native'

/** How many microseconds the main thread spent on each; the time for which it was idle is in none. */
export function microsecondsByShare({ nodes, samples, timeDeltas }: CpuProfile): Map<Share, number> {
  const shares = sharesOf(nodes)
  const spent = new Map<Share, number>()
  for (const [at, node] of samples.entries()) {
    const share = shares.get(node)
    const untilNextUs = timeDeltas[at + 1] ?? 0
    if (share !== undefined) spent.set(share, (spent.get(share) ?? 0) + untilNextUs)
  }
  return spent
}

/** The share of each node; those in which the thread was idle have none. */
function sharesOf(nodes: readonly ProfileNode[]): Map<number, Share> {
  const byId = new Map(nodes.map(node => [node.id, node]))
  const parents = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map(child => [child, id] as const)),
  )
  const shares = new Map<number, Share>()
  for (const { id, callFrame } of nodes) {
    const share = withoutFile(callFrame.functionName) ?? stageOf(filesUpFrom(id, byId, parents))
    if (callFrame.functionName !== '(idle)') shares.set(id, share)
  }
  return shares
}

function withoutFile(functionName: string): Share | undefined {
  if (functionName === '(garbage collector)') return 'garbage'
  return functionName === '(program)' ? 'native' : undefined
}

/** The files of a stack's frames, the innermost first; what is built into the engine has none. */
function filesUpFrom(
  node: number,
  byId: ReadonlyMap<number, ProfileNode>,
  parents: ReadonlyMap<number, number>,
): string[] {
  const files: string[] = []
  for (let at: number | undefined = node; at !== undefined; at = parents.get(at)) {
    const url = byId.get(at)?.callFrame.url ?? ''
    if (url !== '') files.push(url)
  }
  return files
}
