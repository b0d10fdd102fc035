// What every step gets: the state, the file that is open, and the way to make a call whose fault is shown to the person.
import { createContext } from 'preact'
import { useCallback, useContext, useEffect, useState } from 'preact/hooks'
import type { FileState, RouteName, Routes, State } from '../api.ts'
import { CallFailed, call } from './client.ts'

export interface App {
  readonly state: State
  readonly file: FileState
  readonly step: StepName
  readonly goTo: (step: StepName) => void
  /** Makes a call; its fault is shown above the step, and undefined is returned. */
  readonly ask: <N extends RouteName>(
    name: N,
    input: Routes[N]['in'],
  ) => Promise<Routes[N]['out'] | undefined>
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

/** The answer of a call, made again whenever one of `needs` changes; undefined until the first one is there. */
export function useAnswer<N extends RouteName>(name: N, input: Routes[N]['in'], needs: readonly unknown[]) {
  const [answer, setAnswer] = useState<Routes[N]['out'] | undefined>()
  const { ask } = useApp()
  const load = useCallback(async () => {
    const now = await ask(name, input)
    if (now !== undefined) setAnswer(now)
  }, [name, JSON.stringify(input)])
  useEffect(() => {
    void load()
  }, [load, ...needs])
  return [answer, load] as const
}

export { CallFailed, call }
