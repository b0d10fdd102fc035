import { useRef, useState } from 'preact/hooks'
import type { QuestionView, WorksheetView } from '../../api.ts'
import { useAnswer, useApp, useEdited, useFresh } from '../app.ts'
import { Loading, TextInput } from '../parts.tsx'
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
  const answer = async (question: QuestionView, choice: string) => {
    if (!(await edit('answer', { id: question.id, choice }))) return
    setAnswers(now => ({ ...now, [question.id]: choice }))
    say(text('answered'))
  }
  return (
    <>
      <p>{open.size === 0 ? text('no_questions') : counted('question_one', 'questions', open.size)}</p>
      <div class="cards">
        {[...seen.current.values()].map(question => (
          <Question
            key={question.id}
            question={question}
            isOpen={open.has(question.id)}
            answered={answers[question.id]}
            onAnswer={choice => answer(question, choice)}
          />
        ))}
      </div>
      <Worksheets />
    </>
  )
}

interface QuestionProps {
  readonly question: QuestionView
  readonly isOpen: boolean
  readonly answered: string | undefined
  readonly onAnswer: (choice: string) => void
}

function Question({ question, isOpen, answered, onAnswer }: QuestionProps) {
  const { id, text: words, columns, examples, choices } = question
  return (
    <section class={isOpen ? 'card' : 'card done'} aria-labelledby={`question-${id}`}>
      <p class="mark">{isOpen ? columns.join(', ') : text('answered')}</p>
      <h2 id={`question-${id}`} lang={serverLanguage}>
        {words}
      </h2>
      {examples.length > 0 && (
        <p class="examples">{examples.map(each => text('quoted', { value: each })).join(' · ')}</p>
      )}
      {choices.map(choice => (
        <div class="choice" key={choice.id}>
          <button
            type="button"
            aria-pressed={!isOpen && answered === choice.id}
            aria-disabled={!isOpen}
            onClick={() => isOpen && onAnswer(choice.id)}
          >
            <span lang={serverLanguage}>{choice.label}</span>{' '}
            {choice.isDefault && <small>{text('as_it_is')}</small>}
          </button>
          <ul class="values">
            {choice.effect.map(({ row, before, after }) => (
              <li key={row}>
                <small>{text('row', { row })}</small> <span>{before}</span> <span aria-hidden="true">→</span>{' '}
                <strong>{after}</strong>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </section>
  )
}

/** Tables of words that only a person can translate, filled in where they stand. */
function Worksheets() {
  const { file } = useApp()
  const [view] = useAnswer('worksheets', { file: file.source }, useFresh())
  return (
    <>
      {view?.worksheets.map(sheet => (
        <Worksheet key={sheet.name} sheet={sheet} />
      ))}
    </>
  )
}

function Worksheet({ sheet: { name, header, rows, missing } }: { readonly sheet: WorksheetView }) {
  const { ask, file } = useApp()
  const [first = '', second = '', ...others] = header
  return (
    <section class="scroll">
      <h2>
        {name} <small>{counted('missing_one', 'missing', missing)}</small>
      </h2>
      <table class="lines">
        <thead>
          <tr>
            {header.map(title => (
              <th scope="col" key={title}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([word = '', value = '', ...more]) => (
            <tr key={word}>
              <th scope="row">{word}</th>
              <td data-label={second}>
                <TextInput
                  label={`${second}: ${first} ${word}`}
                  value={value}
                  onSave={now => ask('fill', { file: file.source, worksheet: name, row: word, value: now })}
                />
              </td>
              {others.map((title, index) => (
                <td key={title} data-label={title}>
                  {more[index]}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
