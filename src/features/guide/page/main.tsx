// The page around the steps: the bar that says where records go, the files, the steps, and what went wrong.
import { type ComponentType, render } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { FileState } from '../api.ts'
import { begin, edit, goTo, type StepName, say, stepNames, useShown, useView } from './app.ts'
import { Button, Faults, Loading } from './parts.tsx'
import { ServiceBar } from './service-bar.tsx'
import { AfterStep } from './steps/after.tsx'
import { ColumnsStep } from './steps/columns.tsx'
import { FileStep, KindStep } from './steps/file.tsx'
import { CheckStep, RunStep, TryStep } from './steps/jobs.tsx'
import { QuestionsStep } from './steps/questions.tsx'
import { counted, language, text } from './texts.ts'

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

function Page() {
  const [, draw] = useState({})
  const [isYamlShown, setYamlShown] = useState(false)
  const { state, file, step, said, faults } = useShown()
  useEffect(() => {
    void begin(() => draw({}))
  }, [])
  const { columns = 0, questions = 0 } = file?.open ?? {}
  useEffect(() => {
    if (file) say(text('open_now', { columns, questions }))
  }, [columns, questions])
  if (state === undefined || file === undefined) return faults.length > 0 ? <Faults /> : <Loading />

  const { mapping, source, canUndo } = file
  const undo = () => edit('undo', { version: mapping?.version }, text('undone'))
  const Step = steps[step]
  const next = stepNames[stepNames.indexOf(step) + 1]
  const opens: Readonly<Partial<Record<StepName, number>>> = file.open
  const title = titleOf(file)
  document.title = `${text(`step_${step}`)} – ${title}`
  return (
    <>
      <ServiceBar />
      <header>
        {state.files.length > 1 && (
          <nav aria-label={text('files')}>
            <ul class="steps">
              {state.files.map(each => {
                const { columns, questions } = each.open
                const to = () => goTo({ source: each.source })
                return tab(titleOf(each), columns + questions, each === file, to)
              })}
            </ul>
          </nav>
        )}
        <nav aria-label={text('steps')}>
          <ol class="steps">
            {stepNames.map(to => tab(text(`step_${to}`), opens[to], to === step, () => goTo({ step: to })))}
          </ol>
        </nav>
        {mapping && (
          <p class="tools">
            <Button label={text('undo')} isOff={!canUndo} onClick={undo} />{' '}
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
          <h1 tabIndex={-1}>
            {text(`step_${step}`)} <span class="of">{title}</span>
          </h1>
          <Step key={source} />
          {next && (
            <Button
              class="next"
              label={text('next', { step: text(`step_${next}`) })}
              onClick={() => goTo({ step: next })}
            />
          )}
        </main>
      </div>
      <div class="faults">
        <Faults />
      </div>
      <p class="said" role="status" aria-live="polite">
        {said}
      </p>
    </>
  )
}

/** The mapping as it is in its file, with the lines that the last edit changed. */
function YamlDrawer() {
  const view = useView('mapping', {})
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
  const note = open === undefined ? undefined : counted('open', open)
  return (
    <li key={name}>
      <Button aria-current={isHere && 'step'} onClick={onClick} label={name} note={note} />
    </li>
  )
}

document.documentElement.lang = language
const app = document.querySelector('#app')
if (app) render(<Page />, app)
