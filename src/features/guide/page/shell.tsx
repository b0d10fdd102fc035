// The page around the steps: the bar that says where records go, the files, the steps, and what went wrong.
import type { ComponentType } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { State } from '../api.ts'
import { type App, AppContext, CallFailed, call, type StepName, stepNames } from './app.ts'
import { enter, follow } from './client.ts'
import { Button, Loading } from './parts.tsx'
import { ServiceBar } from './service-bar.tsx'
import { AfterStep } from './steps/after.tsx'
import { CheckStep } from './steps/check.tsx'
import { ColumnsStep } from './steps/columns.tsx'
import { FileStep } from './steps/file.tsx'
import { KindStep } from './steps/kind.tsx'
import { QuestionsStep } from './steps/questions.tsx'
import { RunStep } from './steps/run.tsx'
import { TryStep } from './steps/try.tsx'
import { counted, serverLanguage, text } from './texts.ts'
import { YamlDrawer } from './yaml-drawer.tsx'

const steps: Readonly<Record<StepName, ComponentType>> = {
  file: FileStep,
  kind: KindStep,
  columns: ColumnsStep,
  questions: QuestionsStep,
  check: CheckStep,
  try: TryStep,
  run: RunStep,
  after: AfterStep,
}

/** The step and the file that are open; kept by the browser, so that going back and reloading work. */
type Place = { readonly step: StepName; readonly source?: string }

export function Shell() {
  const [state, setState] = useState<State>()
  const [isEnded, setEnded] = useState(false)
  const [place, setPlace] = useState<Place>(history.state ?? { step: 'file' })
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({})
  const [said, setSaid] = useState('')
  const [isYamlShown, setYamlShown] = useState(false)
  const heading = useRef<HTMLHeadingElement>(null)

  useEffect(() => {
    const take = (now: State) => {
      setState(now)
      setEnded(false)
    }
    enter().then(isIn => (isIn ? follow(take, () => setEnded(true)) : setEnded(true)))
    addEventListener('popstate', event => setPlace(event.state ?? { step: 'file' }))
  }, [])

  const { step } = place
  const file = state?.files.find(each => each.source === place.source) ?? state?.files[0]
  const shown = [...new Set([file?.fault ?? '', ...Object.values(faults)].filter(each => each !== ''))]
  const app = useMemo((): App | undefined => {
    if (state === undefined || file === undefined) return undefined
    const tried = async <T,>(name: string, made: Promise<T>): Promise<T | undefined> => {
      try {
        const answer = await made
        setFaults(now => (now[name] ? { ...now, [name]: '' } : now))
        return answer
      } catch (error) {
        if (!(error instanceof CallFailed)) throw error
        const words = error.code === 'conflict' ? text('conflict') : error.message
        if (error.code === 'ended') setEnded(true)
        else setFaults(now => ({ ...now, [name]: words }))
        return undefined
      }
    }
    return {
      ...{ state, file, step, faults: shown, say: setSaid },
      goTo: to => goTo({ ...place, step: to }),
      ask: (name, input) => tried('', call(name, input)),
      load: (name, input) => tried(name, call(name, input)),
    }
  }, [state, file, place, faults])

  function goTo(to: Place) {
    history.pushState(to, '')
    setPlace(to)
    setFaults({})
    heading.current?.focus()
  }

  const { columns = 0, questions = 0 } = file?.open ?? {}
  useEffect(() => {
    if (file) setSaid(text('open_now', { columns, questions }))
  }, [columns, questions])

  if (app === undefined || state === undefined)
    return isEnded ? <Fault words={text('ended')} isOwn={true} /> : <Loading />
  const Step = steps[step]
  const open: Readonly<Partial<Record<StepName, number>>> = app.file.open
  const { mapping, source, canUndo } = app.file
  document.title = `${text(`step_${step}`)} – ${source}`
  const undo = async (version: string) => {
    if (await app.ask('undo', { file: source, version })) setSaid(text('undone'))
  }
  return (
    <AppContext.Provider value={app}>
      <ServiceBar />
      <header>
        {state.files.length > 1 && (
          <nav aria-label={text('files')}>
            <ul class="steps">
              {state.files.map(({ source: name, open: { columns, questions } }) =>
                tab(name, columns + questions, name === source, () => goTo({ step, source: name })),
              )}
            </ul>
          </nav>
        )}
        <nav aria-label={text('steps')}>
          <ol class="steps">
            {stepNames.map(to => tab(text(`step_${to}`), open[to], to === step, () => app.goTo(to)))}
          </ol>
        </nav>
        {mapping && (
          <p class="tools">
            <Button isOff={!canUndo} onClick={() => undo(mapping.version)}>
              {text('undo')}
            </Button>{' '}
            <Button aria-expanded={isYamlShown} onClick={() => setYamlShown(now => !now)}>
              {text('yaml')}
            </Button>
          </p>
        )}
      </header>
      <div class="page">
        <main>
          <h1 ref={heading} tabIndex={-1}>
            {text(`step_${step}`)} <span class="of">{source}</span>
          </h1>
          <Step key={source} />
        </main>
        {isYamlShown && mapping && <YamlDrawer key={source} />}
      </div>
      <div class="faults">
        {isEnded && <Fault words={text('ended')} isOwn={true} />}
        {[...shown].map(words => (
          <Fault key={words} words={words} isOwn={words === text('conflict')} />
        ))}
      </div>
      <p class="said" role="status" aria-live="polite">
        {said}
      </p>
    </AppContext.Provider>
  )
}

/** What went wrong, in the words of the page itself or of the server. */
const Fault = ({ words, isOwn }: { readonly words: string; readonly isOwn: boolean }) => (
  <p class="fault" role="alert" lang={isOwn ? undefined : serverLanguage}>
    {words}
  </p>
)

/** What leads to a file or a step, with the number of its open decisions, also if that is 0: nothing moves when it becomes so. */
const tab = (name: string, open: number | undefined, isHere: boolean, onClick: () => void) => (
  <li key={name}>
    <Button aria-current={isHere && 'step'} onClick={onClick}>
      {name} {open !== undefined && <span class="count">{counted('open_one', 'open', open)}</span>}
    </Button>
  </li>
)
