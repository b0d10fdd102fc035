// What every step gets: the state, the file that is open, and the way to make a call whose fault is shown to the person.
import { createContext } from 'preact'
import { useCallback, useContext, useEffect, useRef, useState } from 'preact/hooks'
import type { FileState, RouteName, Routes, State } from '../api.ts'
import { CallFailed, call } from './client.ts'

/** Makes a call; its fault is shown to the person, and undefined is returned. */
type Ask = <N extends RouteName>(name: N, input: Routes[N]['in']) => Promise<Routes[N]['out'] | undefined>

export interface App {
  readonly state: State
  readonly file: FileState
  readonly step: StepName
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

/** The answer of a call, made again whenever one of `needs` changes; undefined until the first one is there. */
export function useAnswer<N extends RouteName>(name: N, input: Routes[N]['in'], needs: readonly unknown[]) {
  const [answer, setAnswer] = useState<Routes[N]['out'] | undefined>()
  const { load } = useApp()
  const turns = useRef(0)
  const read = useCallback(async () => {
    const turn = ++turns.current
    const now = await load(name, input)
    if (now !== undefined && turn === turns.current) setAnswer(now)
  }, [name, JSON.stringify(input)])
  useEffect(() => {
    void read()
  }, [read, ...needs])
  return [answer, read] as const
}

/** What differs when the files of the open source do, but not with the progress of a job. */
export function useFresh(): readonly unknown[] {
  const { state, file } = useApp()
  return [state.job?.status === 'running' ? file.mapping?.version : state.version]
}

/** The answer about the open file, kept fresh, and the way to edit the mapping that it shows: one edit after the other. */
export function useEdited<N extends 'source' | 'columns' | 'questions' | 'mapping'>(name: N) {
  const { ask, file } = useApp()
  const of = { file: file.source }
  const [view, reload] = useAnswer(name, of as Routes[N]['in'], useFresh())
  const version = useRef('')
  const edits = useRef<Promise<unknown>>(Promise.resolve())
  useEffect(() => {
    if (view !== undefined) version.current = view.version
  }, [view])
  /** Returns undefined if it was refused. */
  function edit<E extends 'read' | 'column' | 'answer' | 'save'>(
    call: E,
    input: Omit<Routes[E]['in'], 'file' | 'version'>,
  ): Promise<Routes[E]['out'] | undefined> {
    const done = edits.current.then(async () => {
      const saved = await ask(call, { ...of, ...input, version: version.current } as Routes[E]['in'])
      if (saved !== undefined) version.current = saved.version
      await reload()
      return saved
    })
    edits.current = done
    return done
  }
  return [view, edit] as const
}

export { CallFailed, call }
