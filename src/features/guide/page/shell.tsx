// The page around the steps: the bar that says where records go, the files, the steps, and what went wrong.
import type { ComponentType } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { State } from '../api.ts'
import { type App, AppContext, CallFailed, call, type StepName, stepNames } from './app.ts'
import { enter, follow } from './client.ts'
import { ServiceBar } from './service-bar.tsx'
import { AfterStep } from './steps/after.tsx'
import { CheckStep } from './steps/check.tsx'
import { ColumnsStep } from './steps/columns.tsx'
import { FileStep } from './steps/file.tsx'
import { KindStep } from './steps/kind.tsx'
import { QuestionsStep } from './steps/questions.tsx'
import { RunStep } from './steps/run.tsx'
import { TryStep } from './steps/try.tsx'
import { text } from './texts.ts'
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

export function Shell() {
  const [state, setState] = useState<State>()
  const [isEnded, setEnded] = useState(false)
  const [source, setSource] = useState<string>()
  const [step, setStep] = useState<StepName>('file')
  const [fault, setFault] = useState<string>()
  const [said, setSaid] = useState('')
  const heading = useRef<HTMLHeadingElement>(null)

  useEffect(() => {
    const take = (now: State) => {
      setState(now)
      setEnded(false)
    }
    enter().then(isIn => (isIn ? follow(take, () => setEnded(true)) : setEnded(true)))
  }, [])

  const file = state?.files.find(each => each.source === source) ?? state?.files[0]
  const app = useMemo(
    (): App | undefined =>
      state &&
      file && {
        ...{ state, file, step, say: setSaid },
        goTo(to) {
          setStep(to)
          setFault(undefined)
          heading.current?.focus()
        },
        async ask(name, input) {
          try {
            const answer = await call(name, input)
            setFault(undefined)
            return answer
          } catch (error) {
            if (!(error instanceof CallFailed)) throw error
            if (error.code === 'ended') setEnded(true)
            else setFault(error.code === 'conflict' ? text('conflict') : error.message)
            return undefined
          }
        },
      },
    [state, file, step],
  )

  if (isEnded) return <p role="alert">{text('ended')}</p>
  if (app === undefined || state === undefined) return <p role="status">{text('loading')}</p>
  const Step = steps[step]
  return (
    <AppContext.Provider value={app}>
      <ServiceBar />
      <header>
        <nav aria-label={text('steps')}>
          <ol class="steps">
            {stepNames.map(name => (
              <li key={name}>
                <button
                  type="button"
                  aria-current={name === step ? 'step' : undefined}
                  onClick={() => app.goTo(name)}
                >
                  {text(`step_${name}`)}
                </button>
              </li>
            ))}
          </ol>
        </nav>
        {state.files.length > 1 && (
          <nav aria-label={text('files')}>
            <ul class="files">
              {state.files.map(each => (
                <li key={each.source}>
                  <button
                    type="button"
                    aria-current={each === file ? 'true' : undefined}
                    onClick={() => setSource(each.source)}
                  >
                    {each.source}
                  </button>
                </li>
              ))}
            </ul>
          </nav>
        )}
      </header>
      <main>
        <h1 ref={heading} tabIndex={-1}>
          {text(`step_${step}`)} <span class="of">{app.file.source}</span>
        </h1>
        {fault !== undefined && (
          <p class="fault" role="alert">
            {fault}
          </p>
        )}
        <Step key={app.file.source} />
      </main>
      <YamlDrawer />
      <p class="said" role="status" aria-live="polite">
        {said}
      </p>
    </AppContext.Provider>
  )
}
