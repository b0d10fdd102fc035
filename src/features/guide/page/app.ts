// What every step gets: the state, the file that is open, and the way to make a call whose fault is shown to the person.
import { createContext } from 'preact'
import { useCallback, useContext, useEffect, useRef, useState } from 'preact/hooks'
import type { FileState, RouteName, Routes, State } from '../api.ts'

/** A call about the open file, whose name is added. Its fault is shown to the person, and undefined is returned. */
type Ask = <N extends RouteName>(
  name: N,
  input: Omit<Routes[N]['in'], 'file'>,
) => Promise<Routes[N]['out'] | undefined>

export interface App {
  readonly state: State
  readonly file: FileState
  /** What is wrong, as it stands below the step; a dialog shows it, too. */
  readonly faults: readonly string[]
  readonly goTo: (step: StepName) => void
  /** Makes a call for the person: what was wrong before is no longer shown. */
  readonly ask: Ask
  /** Makes a call that only reads: its fault is shown until it has an answer again. */
  readonly load: Ask
  /** Says something in the live region. */
  readonly say: (words: string) => void
}

export const stepNames = ['file', 'kind', 'columns', 'questions', 'check', 'try', 'run', 'after'] as const
export type StepName = (typeof stepNames)[number]

export const AppContext = createContext<App | undefined>(undefined)

export function useApp(): App {
  const app = useContext(AppContext)
  if (app === undefined) throw new Error('a step is shown outside of the app')
  return app
}

type Input<N extends RouteName> = Omit<Routes[N]['in'], 'file' | 'version'>

/**
 * The answer of a call about the open file, made again whenever one of `needs` changes, or by default whenever
 * the files do, but not with the progress of a job; undefined until the first one is there.
 * The second is the way to change what it shows: one call after the other, each for the version of the mapping that was seen.
 */
export function useView<N extends RouteName>(name: N, input: Input<N>, needs?: readonly unknown[]) {
  const [view, setView] = useState<Routes[N]['out']>()
  const { state, file, ask, load } = useApp()
  const fresh = state.job?.status === 'running' ? file.mapping?.version : state.version
  const turns = useRef(0)
  const version = useRef('')
  const edits = useRef<Promise<unknown>>(Promise.resolve())
  const seen = (answer: object) => {
    if ('version' in answer) version.current = String(answer.version)
  }
  const read = useCallback(async () => {
    const turn = ++turns.current
    const now = await load(name, input as Routes[N]['in'])
    if (now === undefined || turn !== turns.current) return
    seen(now)
    setView(now)
  }, [name, JSON.stringify(input)])
  useEffect(() => {
    void read()
  }, [read, ...(needs ?? [fresh])])
  /** Returns undefined if it was refused. */
  function edit<E extends RouteName>(call: E, change: Input<E>): Promise<Routes[E]['out'] | undefined> {
    const done = edits.current.then(async () => {
      const saved = await ask(call, { ...change, version: version.current } as Routes[E]['in'])
      if (saved !== undefined) seen(saved)
      await read()
      return saved
    })
    edits.current = done
    return done
  }
  return [view, edit] as const
}
