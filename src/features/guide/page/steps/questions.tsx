import { useRef, useState } from 'preact/hooks'
import type { QuestionView, WorksheetView } from '../../api.ts'
import { useAnswer, useApp, useEdited, useFresh } from '../app.ts'
import { Button, Loading, Pick } from '../parts.tsx'
import { counted, serverLanguage, text } from '../texts.ts'

/** What only a person can know, each as a card. One that was answered keeps its place, so that nothing moves. */
export function QuestionsStep() {
  const { say } = useApp()
  const [view, edit] = useEdited('questions')
  const seen = useRef(new Map<string, QuestionView>())
  const [answers, setAnswers] = useState<Readonly<Record<string, string>>>({})
  if (view === undefined) return <Loading />
  for (const question of view.questions) seen.current.set(question.id, question)
  const open = new Set(view.questions.map(({ id }) => id))
  const answer = async (id: string, choice: string) => {
    if (!(await edit('answer', { id, choice }))) return
    setAnswers(now => ({ ...now, [id]: choice }))
    say(text('answered'))
  }
  const cardOf = ({ id, text: words, columns, examples, choices }: QuestionView) => (
    <section key={id} class={open.has(id) ? 'card' : 'card done'} aria-labelledby={`question-${id}`}>
      <p class="mark">{open.has(id) ? columns.join(', ') : text('answered')}</p>
      <h2 id={`question-${id}`} lang={serverLanguage}>
        {words}
      </h2>
      <p>{examples.map(value => text('quoted', { value })).join(' · ')}</p>
      {choices.map(({ id: choice, label, isDefault, effect }) => (
        <div class="choice" key={choice}>
          <Button
            aria-pressed={!open.has(id) && answers[id] === choice}
            isOff={!open.has(id)}
            onClick={() => answer(id, choice)}
          >
            <span lang={serverLanguage}>{label}</span> {isDefault && <small>{text('as_it_is')}</small>}
          </Button>
          <ul class="values">
            {effect.map(({ row, before, after }) => (
              <li key={row}>
                <small>{text('row', { row })}</small> <span>{before}</span> → <strong>{after}</strong>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </section>
  )
  return (
    <>
      <p>{open.size === 0 ? text('no_questions') : counted('question_one', 'questions', open.size)}</p>
      <div class="cards">{[...seen.current.values()].map(cardOf)}</div>
      <Worksheets />
    </>
  )
}

/** Tables of words that only a person can translate, filled in where they stand. */
function Worksheets() {
  const { ask, file } = useApp()
  const of = { file: file.source }
  const [view] = useAnswer('worksheets', of, useFresh())
  const sheetOf = ({ name, header: [, wanted, ...others], rows, missing }: WorksheetView) => (
    <fieldset class="words sheet" key={name}>
      <legend>
        {name}: {wanted} ({counted('missing_one', 'missing', missing)})
      </legend>
      {rows.map(([word = '', value = '', ...more]) => (
        <Pick
          key={word}
          title={`${word} (${more.map((cell, index) => `${others[index]}: ${cell}`).join(', ')})`}
          label={`${word}: ${wanted}`}
          value={value}
          onSave={now => ask('fill', { ...of, worksheet: name, row: word, value: now })}
        />
      ))}
    </fieldset>
  )
  return <>{view?.worksheets.map(sheetOf)}</>
}
