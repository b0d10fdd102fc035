// The page around the steps: the bar that says where records go, the files, the steps, and what went wrong.
import type { ComponentType } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { FileState, RouteName, Routes, State } from '../api.ts'
import { type App, AppContext, type StepName, stepNames, useView } from './app.ts'
import { call, enter, follow } from './client.ts'
import { Button, Faults, Loading, Noted } from './parts.tsx'
import { ServiceBar } from './service-bar.tsx'
import { AfterStep } from './steps/after.tsx'
import { CheckStep } from './steps/check.tsx'
import { ColumnsStep } from './steps/columns.tsx'
import { FileStep } from './steps/file.tsx'
import { KindStep } from './steps/kind.tsx'
import { QuestionsStep } from './steps/questions.tsx'
import { RunStep } from './steps/run.tsx'
import { TryStep } from './steps/try.tsx'
import { counted, refusalText, text } from './texts.ts'

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
  const [place, setPlace] = useState<Place>(history.state ?? { step: 'file' })
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({})
  const [said, setSaid] = useState('')
  const [isYamlShown, setYamlShown] = useState(false)
  const heading = useRef<HTMLHeadingElement>(null)

  const setFault = (name: string, words: string) =>
    setFaults(now => ((now[name] ?? '') === words ? now : { ...now, [name]: words }))
  const setEnded = () => setFault('ended', text('ended'))
  useEffect(() => {
    const take = (now: State) => {
      setState(now)
      setFault('ended', '')
    }
    enter().then(isIn => (isIn ? follow(take, setEnded) : setEnded()))
    addEventListener('popstate', event => setPlace(event.state ?? { step: 'file' }))
  }, [])

  const { step } = place
  const file = state?.files.find(each => each.source === place.source) ?? state?.files[0]
  const { columns = 0, questions = 0 } = file?.open ?? {}
  useEffect(() => {
    if (file) setSaid(text('open_now', { columns, questions }))
  }, [columns, questions])

  const shown = [...new Set([file?.fault ?? '', ...Object.values(faults)].filter(each => each !== ''))]
  if (state === undefined || file === undefined)
    return <div>{shown.length > 0 ? <Faults faults={shown} /> : <Loading />}</div>

  const { mapping, source, canUndo } = file
  /** Makes a call about the open file. Its fault stands below a name until another call of that name is answered. */
  const asked = async <N extends RouteName>(fault: string, name: N, input: Omit<Routes[N]['in'], 'file'>) => {
    const called = await call(name, { ...input, file: source } as Routes[N]['in'])
    const refused = 'refused' in called ? called.refused : undefined
    if (refused?.code === 'ended') setEnded()
    else setFault(fault, refused ? refusalText(refused) : '')
    return 'answer' in called ? called.answer : undefined
  }
  function open(to: Place) {
    history.pushState(to, '')
    setPlace(to)
    setFaults({})
    heading.current?.focus()
  }
  const app: App = {
    ...{ state, file, faults: shown, say: setSaid },
    goTo: to => open({ ...place, step: to }),
    ask: (name, input) => {
      setFaults({})
      return asked('', name, input)
    },
    load: (name, input) => asked(name, name, input),
  }
  const undo = async (version: string) => {
    if (await app.ask('undo', { version })) setSaid(text('undone'))
  }
  const Step = steps[step]
  const next = stepNames[stepNames.indexOf(step) + 1]
  const opens: Readonly<Partial<Record<StepName, number>>> = file.open
  const title = titleOf(file)
  document.title = `${text(`step_${step}`)} – ${title}`
  return (
    <AppContext.Provider value={app}>
      <ServiceBar />
      <header>
        {state.files.length > 1 && (
          <nav aria-label={text('files')}>
            <ul class="steps">
              {state.files.map(each => {
                const { columns, questions } = each.open
                const to = () => open({ step, source: each.source })
                return tab(titleOf(each), columns + questions, each === file, to)
              })}
            </ul>
          </nav>
        )}
        <nav aria-label={text('steps')}>
          <ol class="steps">
            {stepNames.map(to => tab(text(`step_${to}`), opens[to], to === step, () => app.goTo(to)))}
          </ol>
        </nav>
        {mapping && (
          <p class="tools">
            <Button label={text('undo')} isOff={!canUndo} onClick={() => undo(mapping.version)} />{' '}
            <Button
              label={text('yaml')}
              aria-expanded={isYamlShown}
              onClick={() => setYamlShown(now => !now)}
            />
          </p>
        )}
      </header>
      <div class="page">
        {isYamlShown && mapping && <YamlDrawer key={source} />}
        <main>
          <h1 ref={heading} tabIndex={-1}>
            {text(`step_${step}`)} <span class="of">{title}</span>
          </h1>
          <Step key={source} />
          {next && (
            <Button
              class="next"
              label={text('next', { step: text(`step_${next}`) })}
              onClick={() => app.goTo(next)}
            />
          )}
        </main>
      </div>
      <div class="faults">
        <Faults faults={shown} />
      </div>
      <p class="said" role="status" aria-live="polite">
        {said}
      </p>
    </AppContext.Provider>
  )
}

/** The mapping as it is in its file, with the lines that the last edit changed. */
function YamlDrawer() {
  const [view] = useView('mapping', {})
  const { name = '', text: yaml = '', changed = [] } = view ?? {}
  const [first] = changed
  return (
    <aside class="drawer" aria-label={name}>
      <h2>{name}</h2>
      <p>{first !== undefined && text('changed', { count: changed.length, first })}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys */}
      <pre tabIndex={0}>
        {yaml.split('\n').map((line, index) => {
          const whole = `${line}\n`
          return changed.includes(index + 1) ? <mark key={index}>{whole}</mark> : whole
        })}
      </pre>
    </aside>
  )
}

/** A file, with the record of its rows if they become both. */
const titleOf = ({ name, isSecond, record }: FileState): string =>
  isSecond && record ? `${name} – ${text(`records_${record}`)}` : name

/** What leads to a file or a step, with the number of its open decisions, also if that is 0: nothing moves when it becomes so. */
function tab(name: string, open: number | undefined, isHere: boolean, onClick: () => void) {
  const label = open === undefined ? name : <Noted words={name} note={counted('open', open)} />
  return (
    <li key={name}>
      <Button aria-current={isHere && 'step'} onClick={onClick} label={label} />
    </li>
  )
}
