// What the page shows: the state, the step and the file that are open, and what went wrong. Whatever changes it draws the page anew.
import { useEffect, useState } from 'preact/hooks'
import type { RouteName, Routes, State } from '../api.ts'
import { call, enter, follow } from './client.ts'
import { text } from './texts.ts'

export const stepNames = ['file', 'kind', 'columns', 'questions', 'check', 'try', 'run', 'after'] as const
export type StepName = (typeof stepNames)[number]

/** The step and the file that are open; kept by the browser, so that going back and reloading work. */
type Place = { readonly step: StepName; readonly source?: string }

let state: State | undefined
let said = ''
const faults = new Map<string, string>()
/** Of the mapping, as it was seen last. */
let version = ''
let edits: Promise<unknown> = Promise.resolve()
/** How many edits were made; after each, all that the page shows is read anew. */
let edited = 0
let draw = () => {}

/** Follows the state of the server. */
export async function begin(drawPage: () => void): Promise<void> {
  draw = drawPage
  addEventListener('popstate', draw)
  await enter()
  const take = (now: State) => {
    state = now
    faults.delete('ended')
    draw()
  }
  await follow(take, () => setFault('ended', text('ended')))
}

/** What is shown; there is no file before the first state. */
export function useShown() {
  const { step, source }: Place = history.state ?? { step: 'file' }
  const file = state?.files.find(each => each.source === source) ?? state?.files[0]
  const all = [file?.fault ?? '', ...faults.values()].filter(each => each !== '')
  return { state, file, step, said, faults: [...new Set(all)] }
}

/** The state, and the file that is open. */
export function useApp() {
  const { state, file } = useShown()
  if (state === undefined || file === undefined) throw new Error('a step is shown before its file')
  return { state, file }
}

/** Says something in the live region. */
export function say(words: string): void {
  said = words
  draw()
}

function setFault(name: string, words: string): void {
  if ((faults.get(name) ?? '') === words) return
  faults.set(name, words)
  draw()
}

/** Opens a step or a file. */
export function goTo(place: Partial<Place>): void {
  history.pushState({ step: useShown().step, ...history.state, ...place }, '')
  faults.clear()
  draw()
  document.querySelector('h1')?.focus()
}

/** What a call takes, without what is added to it. */
type Input<N extends RouteName> = Omit<Routes[N]['in'], 'file' | 'version'>
type Answer<N extends RouteName> = Promise<Routes[N]['out'] | undefined>

/** Makes a call about the open file. Its fault is shown below a name until another call of that name is answered. */
async function asked<N extends RouteName>(fault: string, name: N, input: object): Answer<N> {
  const { answer, refused = '' } = await call(name, { ...input, file: useShown().file?.source })
  setFault(fault, refused)
  return answer
}

/** Makes a call for the person: what was wrong before is no longer shown. Returns undefined if it is refused. */
export function ask<N extends RouteName>(name: N, input: Input<N>): Answer<N> {
  faults.clear()
  draw()
  return asked('', name, input)
}

/** Makes a call that only reads: its fault is shown until it has an answer again. */
export const load = <N extends RouteName>(name: N, input: Input<N>): Answer<N> => asked(name, name, input)

function seen<Seen extends object | undefined>(answer: Seen): Seen {
  if (answer && 'version' in answer) version = String(answer.version)
  return answer
}

/**
 * The answer of a call about the open file, made again whenever one of `needs` changes, or by default whenever
 * the files do, but not with the progress of a job; undefined until the first one is there.
 */
export function useView<N extends RouteName>(name: N, input: Input<N>, needs?: readonly unknown[]) {
  const [view, setView] = useState<Routes[N]['out']>()
  const { state, file } = useApp()
  const fresh = state.job?.status === 'running' ? file.mapping?.version : state.version
  useEffect(() => {
    let isLast = true
    load(name, input).then(now => now && isLast && setView(seen(now)))
    return () => {
      isLast = false
    }
  }, [name, JSON.stringify(input), edited, ...(needs ?? [fresh])])
  return view
}

/** Changes a file: one call after the other, each for the version of the mapping that was seen. Says the words once it is done. */
export function edit<N extends RouteName>(name: N, change: Input<N>, words?: string): Answer<N> {
  const done = edits.then(async () => {
    const saved = seen(await ask(name, { version, ...change }))
    if (saved && words) say(words)
    edited += 1
    draw()
    return saved
  })
  edits = done
  return done
}
