import { useRef, useState } from 'preact/hooks'
import type { QuestionView, WorksheetView } from '../../api.ts'
import { edit, useView } from '../app.ts'
import { Button, Card, Field, Loading, Values } from '../parts.tsx'
import { counted, fieldName, statusText, text } from '../texts.ts'

/** What only a person can know, each as a card. One that was answered keeps its place, so that nothing moves. */
export function QuestionsStep() {
  const view = useView('questions', {})
  const seen = useRef(new Map<string, QuestionView>())
  const [answers, setAnswers] = useState<Readonly<Record<string, string>>>({})
  if (view === undefined) return <Loading />
  for (const question of view.questions) seen.current.set(question.id, question)
  const open = new Set(view.questions.map(({ id }) => id))
  const answer = async (id: string, choice: string) => {
    if (await edit('answer', { id, choice }, text('answered'))) setAnswers(now => ({ ...now, [id]: choice }))
  }
  const cardOf = ({ id, text: words, columns, examples, choices }: QuestionView) => (
    <Card key={id} title={words} isDone={!open.has(id)}>
      <p class="mark">{open.has(id) ? columns.join(', ') : text('answered')}</p>
      <p>{examples.map(value => text('quoted', { value })).join(' · ')}</p>
      {choices.map(({ id: choice, label, isDefault, effect }) => (
        <div class="choice" key={choice}>
          <Button
            aria-pressed={!open.has(id) && answers[id] === choice}
            isOff={!open.has(id)}
            onClick={() => answer(id, choice)}
            label={label}
            note={isDefault ? text('as_it_is') : ''}
          />
          <Values label={label} values={effect.map(effectOf)} />
        </div>
      ))}
    </Card>
  )
  return (
    <>
      <p>{open.size === 0 ? text('no_questions') : counted('question', open.size)}</p>
      <div class="cards">{[...seen.current.values()].map(cardOf)}</div>
      <Worksheets />
    </>
  )
}

/** What a choice makes of a field of a row. */
function effectOf({ row, path, label, before, after }: QuestionView['choices'][number]['effect'][number]) {
  const name = /^(left_out|invalid)$/.test(path) ? statusText(path) : fieldName(path, label)
  const said = (value: string) => (value === '' ? '' : `${name}: ${value}`)
  return { row, before: said(before), after: said(after), fault: null }
}

/** Tables of words that only a person can translate, filled in where they stand. */
function Worksheets() {
  const view = useView('worksheets', {})
  const sheetOf = ({ name, header: [, wanted, ...others], rows, missing }: WorksheetView) => (
    <fieldset class="words" key={name}>
      <legend>
        {name}: {wanted} ({counted('missing', missing)})
      </legend>
      {rows.map(([word = '', value = '', ...more]) => (
        <Field
          key={word}
          label={`${word} (${more.map((cell, index) => `${others[index]}: ${cell}`).join(', ')})`}
          aria-label={`${word}: ${wanted}`}
          value={value}
          onSave={now => edit('fill', { worksheet: name, row: word, value: now })}
        />
      ))}
    </fieldset>
  )
  return <>{view?.worksheets.map(sheetOf)}</>
}
