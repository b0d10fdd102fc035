// Looks at every state that a model can come to, shortest ways first.

export interface Model<State> {
  readonly start: State
  /** Calls `to` with each state that may come next, and with what happened. */
  next(state: State, to: (what: string, state: State) => void): void
  /** Equal for two states that need to be looked at only once. */
  key(state: State): string
  /** What is wrong with a state, or with the way to it. */
  wrong(state: State, before: State): string | undefined
}

export interface Exploration {
  readonly states: number
  /** The shortest way to a state that is wrong. */
  readonly counterexample?: { readonly wrong: string; readonly steps: readonly string[] }
}

interface Step {
  readonly what: string
  readonly after: Step | undefined
}

export function explore<State>(model: Model<State>): Exploration {
  const seen = new Set([model.key(model.start)])
  let wrong: string | undefined
  let end: Step | undefined
  let front: { state: State; step: Step | undefined }[] = [{ state: model.start, step: undefined }]
  while (front.length > 0 && wrong === undefined) {
    const later: typeof front = []
    for (const { state, step } of front)
      model.next(state, (what, next) => {
        const key = model.key(next)
        if (wrong !== undefined || seen.has(key)) return
        seen.add(key)
        const after = { what, after: step }
        later.push({ state: next, step: after })
        wrong = model.wrong(next, state)
        if (wrong !== undefined) end = after
      })
    front = later
  }
  if (wrong === undefined) return { states: seen.size }
  return { states: seen.size, counterexample: { wrong, steps: wayTo(end) } }
}

function wayTo(end: Step | undefined): string[] {
  const steps: string[] = []
  for (let step = end; step !== undefined; step = step.after) steps.unshift(step.what)
  return steps
}
