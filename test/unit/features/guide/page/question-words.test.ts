import { expect, it } from 'vitest'
import { germanQuestion } from '../../../../../src/features/guide/page/question-words.ts'
import { guideOf } from '../../../../support/guide-folder.ts'

const rowsOf = (header: string, ...rows: readonly string[]) => `${[header, ...rows].join('\n')}\n`

const files = {
  'dates.csv': rowsOf('Task,Due', 'Write,03/04/2026', 'Read,05/06/2026', 'Look,07/08/2026'),
  'phones.csv': rowsOf(
    'Name,Phone,Status',
    'Ada Stone,+49 30 123456,active',
    'Bob Fox,030 7654321,inactive',
    'Cy Lee,+49 30 123459,active',
  ),
  'who.csv': rowsOf('Name,E-Mail,Aufgabe,Fällig', 'Ada,ada@example.com,Anrufen,2027-01-05'),
  'firms.csv': rowsOf('Name,Phone', 'Harbour Ltd,+44 20 7946 0101', 'Ada Stone,+44 20 7946 0102'),
  'things.csv': rowsOf('Ref,Note,Count', 'a1,red,3', 'a2,blue,4', 'a3,green,5'),
  'lists.json': JSON.stringify({
    people: [{ name: 'Ada', email: 'ada@example.com' }],
    friends: [{ name: 'Bob', email: 'bob@example.com' }],
  }),
}

/** The questions of these files as a German page shows them; undefined for one that it has no words for. */
async function shown() {
  const { calls, sources } = await guideOf(files)
  const all = await Promise.all(sources.map(file => calls.questions({ file })))
  return all.flatMap(({ questions }) =>
    questions.map(question => {
      const words = germanQuestion(question, { field: 'FELD', country: 'Deutschland' })
      return { question, words, labels: question.choices.map(({ id }) => words?.label(id)) }
    }),
  )
}

it('questions of drafts are there in German, with their columns and choices', async () => {
  const questions = await shown()
  expect(questions.length).toBeGreaterThan(5)
  for (const { question, words, labels } of questions) {
    expect(words, question.text).toBeDefined()
    expect(labels, question.text).not.toContain(undefined)
    expect([words?.text, ...labels].join()).not.toMatch(/[{}*]/)
  }
  const texts = questions.map(({ words }) => words?.text)
  expect(texts).toContain(
    'Steht in „Due“ der Tag oder der Monat zuerst? Bei manchen Werten ist beides möglich.',
  )
  expect(texts).toContain(
    'Manche Nummern in „Phone“ haben kein Land, alle anderen dasselbe. Sind auch sie aus Deutschland?',
  )
})

it('a choice that leaves a row out says so', async () => {
  const { calls } = await guideOf({ 'phones.csv': files['phones.csv'] })
  const { questions } = await calls.questions({ file: 'phones.csv' })
  const [choice] = questions.find(({ id }) => id === 'where')?.choices ?? []
  expect(choice?.effect).toMatchObject([{ row: 2, path: 'left_out', before: '', after: '✓' }])
})

it('a question that the page does not know stays in the words of the server', () => {
  const question = { id: 'body', text: 'Is it?', columns: [], choices: [{ id: 'odd', label: 'Odd' }] }
  expect(germanQuestion(question, {})).toBeUndefined()
})
